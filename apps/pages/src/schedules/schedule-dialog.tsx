import type { ScheduleState } from '@homeward/contract/agent-platform'
import { Pencil, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
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
  fromCron,
  noSchedule,
  type ScheduleDraft,
  toCron,
} from '../components/schedule/schedule-draft.ts'
import { SchedulePreview } from '../components/schedule/schedule-preview.tsx'
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

/** Opens the form that changes a schedule. */
export function EditSchedule({ schedule }: { readonly schedule: ScheduleState }) {
  return (
    <Dialog
      title="Edit schedule"
      size="large"
      isDismissable={false}
      trigger={<Button icon={<Pencil aria-hidden />}>Edit</Button>}
    >
      {(close) => <EditScheduleForm schedule={schedule} close={close} />}
    </Dialog>
  )
}

/** The fields of both forms. */
interface Draft {
  readonly name: string
  readonly input: string
  readonly schedule: ScheduleDraft
  readonly timezone: string
}

const firstDraft: Draft = {
  name: '',
  input: '',
  schedule: { ...noSchedule, every: 'weekdays' },
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
}

function NewScheduleForm({ close }: { readonly close: () => void }) {
  const [agentId, setAgentId] = useState<string>()
  const idempotency = useIdempotencyKey()
  const create = usePlatformMutation('createSchedule', {
    invalidates: ['listSchedules'],
    onSuccess() {
      idempotency.done()
      showToast({ title: 'Schedule created' })
      close()
    },
  })
  return (
    <ScheduleForm
      initial={firstDraft}
      submitLabel="Create schedule"
      isPending={create.isPending}
      error={create.error}
      close={close}
      onSubmit={({ name, input, timezone }, cron) => {
        if (agentId === undefined) return
        const body = {
          agent_id: agentId,
          cron,
          timezone,
          ...(name.trim() !== '' && { name: name.trim() }),
          ...(input.trim() !== '' && { input }),
        }
        create.mutate({ body, headers: idempotency.headersFor(body) })
      }}
    >
      <AgentChoice value={agentId} onChange={setAgentId} />
    </ScheduleForm>
  )
}

interface EditScheduleFormProps {
  readonly schedule: ScheduleState
  readonly close: () => void
}

function EditScheduleForm({
  schedule: { id, name = '', input = '', cron, timezone },
  close,
}: EditScheduleFormProps) {
  const change = usePlatformMutation('updateSchedule', {
    invalidates: ['listSchedules'],
    onSuccess() {
      showToast({ title: 'Schedule saved' })
      close()
    },
  })
  return (
    <ScheduleForm
      initial={{ name, input, schedule: fromCron(cron), timezone }}
      submitLabel="Save"
      isPending={change.isPending}
      error={change.error}
      close={close}
      onSubmit={(draft, newCron) =>
        change.mutate({
          params: { id },
          body: {
            name: draft.name.trim() || null,
            input: draft.input.trim() === '' ? null : draft.input,
            cron: newCron,
            timezone: draft.timezone,
          },
        })
      }
    />
  )
}

interface ScheduleFormProps {
  readonly initial: Draft
  readonly submitLabel: string
  readonly isPending: boolean
  readonly error: Error | null
  readonly close: () => void
  readonly onSubmit: (draft: Draft, cron: string) => void
  /** Fields before the others. */
  readonly children?: ReactNode
}

/** The fields of a schedule, with the next times that it would run. */
function ScheduleForm({
  initial,
  submitLabel,
  isPending,
  error,
  close,
  onSubmit,
  children,
}: ScheduleFormProps) {
  const [draft, setDraft] = useState(initial)
  const [isSent, setIsSent] = useState(false)
  const refused = toFieldErrors(error, ['name', 'input', 'cron', 'timezone'])
  const problems = checkSchedule(draft.schedule)
  const cron = Object.keys(problems).length === 0 ? toCron(draft.schedule) : undefined

  function submit(): void {
    setIsSent(true)
    if (cron !== undefined) onSubmit(draft, cron)
  }

  return (
    <SubmitForm onSubmit={submit} error={error ?? isSent}>
      {children}
      <TextArea
        label="Task"
        description="Task of each scheduled run. Leave empty to let the agent follow its instructions."
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
      {cron !== undefined && <SchedulePreview schedule={cron} timezone={draft.timezone} />}
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
        errorMessage={refused.fields['name']}
      />
      {refused.rest && <ErrorState error={refused.rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={isPending}>
          {submitLabel}
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
