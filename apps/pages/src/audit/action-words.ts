/** An action of an audit in words: `device:key-rotated` as `Device key rotated`. */
export function toActionWords(action: string): string {
  const words = action.replaceAll(/[:._-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
