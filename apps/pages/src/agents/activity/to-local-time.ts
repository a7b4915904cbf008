/** A time as a field for date and time takes it, in the time zone of the reader; empty for what is no time. */
export function toLocalTime(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`
}
