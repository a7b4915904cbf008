/** Most gaps that are stored of one device; older ones are removed. */
export const maxGaps = 100

/** How long a gap is stored after its end, in milliseconds. */
export const gapRetentionMs = 90 * 24 * 60 * 60 * 1000
