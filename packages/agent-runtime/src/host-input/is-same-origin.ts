/** Whether two addresses have the same origin. False for values that are not addresses. */
export function isSameOrigin(one: unknown, other: unknown): boolean {
  const [first, second] = [one, other].map((address) => URL.parse(String(address))?.origin)
  return first !== undefined && first !== 'null' && first === second
}
