import { SelectField } from '../components/fields/select-field.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { SwitchField } from '../components/fields/switch-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { describeCron } from '../components/schedule/rhythm.ts'
import type { AgentSectionProps } from './agent-topic.tsx'
import { AgentTopic } from './agent-topic.tsx'
import { SchedulePreview } from '../components/schedule/schedule-preview.tsx'
import { TimeZoneField } from '../components/schedule/time-zone-field.tsx'

const usual = ['0 9 * * 1-5', '0 8 * * *', '@hourly', '*/15 * * * *', '0 9 1 * *']

const catchUps = [
  { value: 'skip', label: 'Skip them' },
  { value: 'latest', label: 'Run the latest' },
  { value: 'all', label: 'Run all of them' },
] as const
const overlaps = [
  { value: 'queue', label: 'Wait until it ends' },
  { value: 'skip', label: 'Skip this time' },
] as const

const fields = ['schedule', 'timezone', 'catch_up', 'overlap', 'report_to']

/** What an expression means; how to write one where words do not reach. */
function cronHelp(cron: string): string {
  const words = describeCron(cron)
  return words === cron ? 'Minute, hour, day of the month, month, day of the week.' : `${words}.`
}

/** When the agent runs by itself. */
export function ScheduleSection({ draft, onChange, errors, isFolded, summaries }: AgentSectionProps) {
  const topic = { errors, isFolded, summary: summaries?.schedule }
  const isScheduled = draft.schedule.trim() !== ''
  return (
    <AgentTopic title="Schedule" fields={fields} {...topic}>
      <div className="field-grid">
        <SuggestField
          label="Cron expression"
          value={draft.schedule}
          onChange={(schedule) => onChange({ schedule })}
          suggestions={usual}
          errorMessage={errors.schedule}
          placeholder="only on request"
          description={cronHelp(draft.schedule)}
        />
        <TimeZoneField
          value={draft.timezone}
          onChange={(timezone) => onChange({ timezone })}
          errorMessage={errors.timezone}
        />
      </div>
      {isScheduled && (
        <>
          <SchedulePreview schedule={draft.schedule} timezone={draft.timezone} />
          <TextArea
            label="Task of scheduled runs"
            value={draft.schedule_input}
            onChange={(schedule_input) => onChange({ schedule_input })}
            errorMessage={errors.schedule_input}
            rows={2}
            maxLength={100_000}
          />
          <div className="field-grid">
            <SelectField
              label="Times missed while the server was down"
              options={catchUps}
              value={draft.catch_up}
              onChange={(catch_up) => onChange({ catch_up })}
              errorMessage={errors.catch_up}
            />
            <SelectField
              label="If the previous run has not ended"
              options={overlaps}
              value={draft.overlap}
              onChange={(overlap) => onChange({ overlap })}
              errorMessage={errors.overlap}
            />
          </div>
          <SwitchField
            label="Schedule enabled"
            isSelected={draft.schedule_enabled}
            onChange={(schedule_enabled) => onChange({ schedule_enabled })}
            description="A disabled schedule is stored but does not run."
          />
        </>
      )}
      <TokenField
        label="Chats that get the results"
        values={draft.report_to}
        onChange={(report_to) => onChange({ report_to })}
        suggestions={[]}
        errorMessage={errors.report_to}
        description="These chats get the results of scheduled runs and of tasks, including failures. Write channel and chat: channel_a:100000001."
      />
    </AgentTopic>
  )
}
