/** For routes whose answer may be text. */
export async function text(response, watched, type) {
    if (type.startsWith("text/html"))
        return undefined;
    watched.start();
    const whole = await response.text();
    watched.end();
    return whole;
}
