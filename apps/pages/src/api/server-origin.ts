/** The server that served this page. Functions of the pages are tested without a page, too. */
export const serverOrigin = typeof location === 'undefined' ? 'http://127.0.0.1' : location.origin
