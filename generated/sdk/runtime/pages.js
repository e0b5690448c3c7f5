/** `ask` gets the fields that lead to a page. */
export function pages(ask) {
    const first = ask({});
    return Object.assign(first, {
        async *[Symbol.asyncIterator]() {
            let page = await first;
            for (;;) {
                yield* page.data;
                const { has_more, last_id: after } = page;
                if (has_more !== true || after == null)
                    return;
                page = await ask({ after });
                if (page.last_id === after)
                    return; // no page leads to itself
            }
        },
    });
}
