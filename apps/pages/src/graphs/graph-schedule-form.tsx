import { SelectField } from '../components/fields/select-field.tsx'
import { SwitchField } from '../components/fields/switch-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { SchedulePreview } from '../components/schedule/schedule-preview.tsx'
import { TimeZoneField } from '../components/schedule/time-zone-field.tsx'
import type { DraftFields } from './graph-draft.ts'

/** What a {@link GraphScheduleForm} takes. */
interface GraphScheduleFormProps {
  readonly fields: DraftFields
  readonly messageAt: (field: string) => string | undefined
  readonly onChange: (change: Partial<DraftFields>) => void
}

const asDecided = { value: 'default', label: 'Server default' } as const

const catchUps = [
  asDecided,
  { value: 'skip', label: 'Skip them' },
  { value: 'latest', label: 'Run the latest' },
  { value: 'all', label: 'Run all of them' },
] as const

const overlaps = [
  asDecided,
  { value: 'queue', label: 'Wait until it ends' },
  { value: 'skip', label: 'Skip this time' },
] as const

/** When a graph runs by itself (A9), with the times that this means. */
export function GraphScheduleForm({ fields, messageAt, onChange }: GraphScheduleFormProps) {
  return (
    <div className="stack" data-gap="small">
      <TextField
        label="Cron expression"
        value={fields.schedule}
        onChange={(schedule) => onChange({ schedule })}
        placeholder="0 8 * * 1-5"
        description="Minute, hour, day of the month, month, day of the week. Leave empty to run only on request."
        errorMessage={messageAt('schedule')}
      />
      <TimeZoneField
        value={fields.timezone}
        onChange={(timezone) => onChange({ timezone })}
        errorMessage={messageAt('timezone')}
      />
      {fields.schedule.trim() !== '' && (
        <SchedulePreview schedule={fields.schedule} timezone={fields.timezone} />
      )}
      <SwitchField
        label="Schedule enabled"
        isSelected={fields.scheduleEnabled}
        onChange={(scheduleEnabled) => onChange({ scheduleEnabled })}
      />
      <TextArea
        label="Input of scheduled runs"
        rows={2}
        value={fields.scheduleInput}
        onChange={(scheduleInput) => onChange({ scheduleInput })}
        errorMessage={messageAt('schedule_input')}
      />
      <SelectField
        label="Times missed while the server was down"
        options={catchUps}
        value={fields.catchUp === '' ? 'default' : fields.catchUp}
        onChange={(chosen) => onChange({ catchUp: chosen === 'default' ? '' : chosen })}
      />
      <SelectField
        label="If the previous run has not ended"
        options={overlaps}
        value={fields.overlap === '' ? 'default' : fields.overlap}
        onChange={(chosen) => onChange({ overlap: chosen === 'default' ? '' : chosen })}
      />
    </div>
  )
}
