const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** A size in bytes as people read it; the exact one is its title. */
export function ByteSize({ value }: { readonly value: number }) {
  return (
    <span className="numeric" title={`${whole.format(value)} bytes`}>
      {formatBytes(value)}
    </span>
  )
}

/** `1.5 MB`: in steps of a thousand, as disks count. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${(step === 0 ? whole : short).format(bytes / 1000 ** step)} ${units[step]}`
}
