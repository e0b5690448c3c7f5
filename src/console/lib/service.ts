// What the service is called, as the server wrote it into the page; a page of the build alone says nothing of it.
const written = document.querySelector<HTMLMetaElement>('meta[name="service"]');

/** Null: not set. */
export const serviceName = written?.content || null;
export const serviceLogo = written?.dataset["logo"] ?? null;

export const titleOf = (page: string): string => `${page} · ${serviceName ?? "Console"}`;
