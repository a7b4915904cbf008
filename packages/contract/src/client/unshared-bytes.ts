/**
 * Bytes that no other thread can write to, which is what `fetch` sends: a `Uint8Array<ArrayBuffer>`, in a form that
 * TypeScript 5.6 reads too.
 */
export type UnsharedBytes = Uint8Array & { readonly buffer: ArrayBuffer }
