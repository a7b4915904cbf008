import { SelectField } from '../fields/select-field.tsx'
import { TextField } from '../fields/text-field.tsx'
import { TimeZoneField } from './time-zone-field.tsx'
import { days, type Frequency, type ScheduleDraft } from './schedule-draft.ts'

interface ScheduleFieldsProps {
  readonly schedule: ScheduleDraft
  readonly timezone: string
  /** Whether it may be without times. @default true */
  readonly canBeManual?: boolean
  readonly problems: { readonly time?: string; readonly cron?: string; readonly timezone?: string }
  readonly onChange: (changed: { readonly schedule?: ScheduleDraft; readonly timezone?: string }) => void
}

const frequencies: readonly { readonly value: Frequency; readonly label: string }[] = [
  { value: 'never', label: 'Only when you run it' },
  { value: 'hourly', label: 'Every hour' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekdays', label: 'Every weekday' },
  { value: 'weekly', label: 'Every week' },
  { value: 'cron', label: 'Cron expression' },
]

/** When something runs, in words, or as a cron expression. */
export function ScheduleFields(props: ScheduleFieldsProps) {
  const { schedule, timezone, canBeManual = true, problems, onChange } = props
  const { every, time, day, cron } = schedule
  const change = (changed: Partial<ScheduleDraft>) => onChange({ schedule: { ...schedule, ...changed } })
  const hasTime = every === 'daily' || every === 'weekdays' || every === 'weekly'
  return (
    <div className="field-grid">
      <SelectField
        label="Runs"
        options={canBeManual ? frequencies : frequencies.filter(({ value }) => value !== 'never')}
        value={every}
        onChange={(chosen) => change({ every: chosen })}
      />
      {every === 'weekly' && (
        <SelectField label="Day" options={days} value={day} onChange={(chosen) => change({ day: chosen })} />
      )}
      {hasTime && (
        <TextField
          label="Time"
          value={time}
          onChange={(written) => change({ time: written })}
          errorMessage={problems.time ?? problems.cron}
        />
      )}
      {every === 'cron' && (
        <TextField
          label="Cron expression"
          value={cron}
          onChange={(written) => change({ cron: written })}
          errorMessage={problems.cron}
          description="Minute, hour, day of the month, month, day of the week."
        />
      )}
      {(hasTime || every === 'cron') && (
        <TimeZoneField
          value={timezone}
          onChange={(chosen) => onChange({ timezone: chosen })}
          errorMessage={problems.timezone}
        />
      )}
    </div>
  )
}
