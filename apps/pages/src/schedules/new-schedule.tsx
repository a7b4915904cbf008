import { Plus } from 'lucide-react'
import { useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation } from '../api/platform.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { ScheduleFields } from '../components/schedule/schedule-fields.tsx'
import {
  checkSchedule,
  noSchedule,
  type ScheduleDraft,
  toCron,
} from '../components/schedule/schedule-draft.ts'
import { AgentChoice } from '../components/agents/agent-filter.tsx'

/** Opens the form for a new schedule. */
export function NewSchedule() {
  return (
    <Dialog
      title="New schedule"
      size="large"
      isDismissable={false}
      trigger={
        <Button variant="primary" icon={<Plus aria-hidden />}>
          New schedule
        </Button>
      }
    >
      {(close) => <NewScheduleForm close={close} />}
    </Dialog>
  )
}

const everyWeekday: ScheduleDraft = { ...noSchedule, every: 'weekdays' }
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

function NewScheduleForm({ close }: { readonly close: () => void }) {
  const [agentId, setAgentId] = useState<string>()
  const [draft, setDraft] = useState({
    name: '',
    input: '',
    schedule: everyWeekday,
    timezone: ownZone,
  })
  const [isSent, setIsSent] = useState(false)
  const idempotency = useIdempotencyKey()
  const create = usePlatformMutation('createSchedule', {
    invalidates: ['listSchedules'],
    onSuccess() {
      idempotency.done()
      showToast({ title: 'Schedule created' })
      close()
    },
  })
  const refused = toFieldErrors(create.error, ['name', 'input', 'cron', 'timezone'])
  const problems = checkSchedule(draft.schedule)

  function submit(): void {
    setIsSent(true)
    const cron = toCron(draft.schedule)
    if (agentId === undefined || cron === undefined || Object.keys(problems).length > 0) return
    const { name, input, timezone } = draft
    const body = {
      agent_id: agentId,
      cron,
      timezone,
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(input.trim() !== '' && { input }),
    }
    create.mutate({ body, headers: idempotency.headersFor(body) })
  }

  return (
    <SubmitForm onSubmit={submit} error={create.error ?? isSent}>
      <AgentChoice value={agentId} onChange={setAgentId} />
      <TextArea
        label="Task"
        description="What the agent does at each time. Leave empty to have it follow its instructions."
        value={draft.input}
        onChange={(input) => setDraft({ ...draft, input })}
        errorMessage={refused.fields['input']}
      />
      <ScheduleFields
        schedule={draft.schedule}
        timezone={draft.timezone}
        canBeManual={false}
        problems={{
          ...(isSent && problems),
          ...(refused.fields['cron'] !== undefined && { cron: refused.fields['cron'] }),
          ...(refused.fields['timezone'] !== undefined && { timezone: refused.fields['timezone'] }),
        }}
        onChange={(changed) => setDraft({ ...draft, ...changed })}
      />
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
        errorMessage={refused.fields['name']}
      />
      {refused.rest && <ErrorState error={refused.rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={create.isPending}>
          Create schedule
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
