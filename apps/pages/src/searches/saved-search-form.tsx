import type { SavedSearchFields } from '@homeward/contract/device-cloud'
import { useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { Button } from '../components/buttons/button.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { formatBytes } from '../components/text/byte-size.tsx'
import { describeSelection } from './file-conditions.tsx'
import { DeviceFilters } from '../devices/device-filters.tsx'
import { fromServerFilter, toServerFilter } from '../devices/device-filter.ts'
import { useDevices } from '../devices/use-devices.ts'
import { SchedulePreview } from '../components/schedule/schedule-preview.tsx'
import { useServerFacts } from '../api/server-facts.ts'
import { ScheduleFields } from '../components/schedule/schedule-fields.tsx'
import { checkSchedule, fromCron, toCron } from '../components/schedule/schedule-draft.ts'

interface SavedSearchFormProps {
  readonly fields: SavedSearchFields
  /** Whether the search was on chosen devices: a saved one goes by a filter. @default false */
  readonly isAnyFilter?: boolean
  readonly isPending: boolean
  readonly error: Error | null
  readonly onSubmit: (fields: SavedSearchFields) => void
  readonly close: () => void
}

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Name, devices and schedule of a saved search. */
export function SavedSearchForm(props: SavedSearchFormProps) {
  const { fields, isAnyFilter = false, isPending, error, onSubmit, close } = props
  const [draft, setDraft] = useState(() => ({
    name: fields.name,
    query: fields.query,
    filter: fromServerFilter(fields.filter),
    schedule: fromCron(fields.schedule ?? undefined),
    timezone: fields.timezone ?? ownZone,
  }))
  const [isSent, setIsSent] = useState(false)
  const devices = useDevices(draft.filter)
  const refused = toFieldErrors(error, ['name', 'query', 'schedule', 'timezone'])
  const missing = {
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(draft.query.trim() === '' && !fields.where && { query: 'Enter the text to search for.' }),
  }
  const scheduleProblems = checkSchedule(draft.schedule)
  const problems = { ...refused.fields, ...(isSent && { ...missing }) }

  // the agent platform knows the next times of a schedule
  const hasPreview = useServerFacts()?.serves?.agents === true
  const cron = Object.keys(scheduleProblems).length > 0 ? undefined : toCron(draft.schedule)

  function submit(): void {
    setIsSent(true)
    if (Object.keys({ ...missing, ...scheduleProblems }).length > 0) return
    onSubmit({
      name: draft.name.trim(),
      query: draft.query,
      scope: fields.scope,
      ...(fields.where && { where: fields.where }),
      ...(fields.sort !== undefined && { sort: fields.sort }),
      ...(fields.limit !== undefined && { limit: fields.limit }),
      filter: toServerFilter(draft.filter),
      ...(cron !== undefined && { schedule: cron, timezone: draft.timezone }),
    })
  }

  return (
    <SubmitForm onSubmit={submit} error={error ?? isSent}>
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
        errorMessage={problems['name']}
        isRequired
        autoFocus
      />
      <TextField
        label="Search for"
        value={draft.query}
        onChange={(query) => setDraft({ ...draft, query })}
        errorMessage={problems['query']}
        isRequired={!fields.where}
        description={describeSelection(fields, formatBytes)}
      />
      <div className="stack" data-gap="small">
        <span className="field-label">Devices</span>
        {isAnyFilter && (
          <Notice>A saved search runs on all devices that match. The chosen devices are not saved.</Notice>
        )}
        <DeviceFilters
          devices={devices.data ?? []}
          filter={draft.filter}
          onChange={(changed) => setDraft({ ...draft, filter: { ...draft.filter, ...changed } })}
        />
      </div>
      <ScheduleFields
        schedule={draft.schedule}
        timezone={draft.timezone}
        problems={{
          ...(isSent && scheduleProblems),
          ...(refused.fields['schedule'] !== undefined && { cron: refused.fields['schedule'] }),
          ...(refused.fields['timezone'] !== undefined && { timezone: refused.fields['timezone'] }),
        }}
        onChange={(changed) => setDraft({ ...draft, ...changed })}
      />
      {cron !== undefined && hasPreview && <SchedulePreview schedule={cron} timezone={draft.timezone} />}
      {refused.rest && <ErrorState error={refused.rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={isPending}>
          Save
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
