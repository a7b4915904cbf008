/**
 * Bytes in memory that no other thread can write to, as `fetch` requires: `Uint8Array<ArrayBuffer>`, in a form that
 * TypeScript 5.6 also accepts.
 */
export type UnsharedBytes = Uint8Array & { readonly buffer: ArrayBuffer }
