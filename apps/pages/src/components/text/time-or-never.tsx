import { RelativeTime } from './relative-time.tsx'

/** A time that may be absent. */
export function TimeOrNever({ value }: { readonly value: string | undefined }) {
  return value === undefined ? 'Never' : <RelativeTime value={value} />
}
