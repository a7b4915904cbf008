import { SuggestField } from '../fields/suggest-field.tsx'

/** What a {@link TimeZoneField} takes. */
interface TimeZoneFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly errorMessage: string | undefined
}

/** The time zone of a schedule. */
export function TimeZoneField(props: TimeZoneFieldProps) {
  return (
    <SuggestField
      {...props}
      label="Time zone"
      suggestions={timeZones}
      placeholder="time zone of the server"
    />
  )
}

/** Names that IANA gave anew. Browsers take them, and tell the old ones of their own list: nobody looks for those. */
const renamed: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** Time zones to choose from, by their names of today. Any other that the server knows can be written. */
export const timeZones: readonly string[] = [
  'UTC',
  ...new Set(Intl.supportedValuesOf('timeZone').map((zone) => renamed[zone] ?? zone)),
]
