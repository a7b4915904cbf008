import { SuggestField } from '../../components/fields/suggest-field.tsx'
import { timeZones } from './time-zones.ts'

/** What a {@link TimeZoneField} takes. */
export interface TimeZoneFieldProps {
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
