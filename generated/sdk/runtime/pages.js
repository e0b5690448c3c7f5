/** `ask` gets the fields that lead to a page. */
export function pages(ask) {
    const first = ask({});
    return Object.assign(first, {
        async *[Symbol.asyncIterator]() {
            let page = await first;
            for (;;) {
                yield* page.data;
                if (page.has_more !== true || page.last_id == null)
                    return;
                page = await ask({ after: page.last_id });
            }
        },
    });
}
