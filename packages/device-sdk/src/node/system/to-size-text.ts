const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Bytes for people: `1536` is `1.5 KiB`. */
export function toSizeText(bytes: number): string {
  let amount = Math.max(0, bytes)
  let unit = 0
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024
    unit += 1
  }
  const rounded = amount >= 10 || unit === 0 ? Math.round(amount) : Math.round(amount * 10) / 10
  return `${rounded} ${units[unit]}`
}
