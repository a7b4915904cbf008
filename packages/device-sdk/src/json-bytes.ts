const encoder = new TextEncoder()

/** Bytes of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? '').length
