/** Header that has a list held until there is work. */
export const preferWait = {
  name: 'Prefer',
  description:
    '`wait=N` (RFC 7240, N <= 60) holds the answer until there is work or N seconds passed; the answer then carries `Preference-Applied`.',
}
