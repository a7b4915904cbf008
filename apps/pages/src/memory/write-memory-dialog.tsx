import { Plus } from 'lucide-react'
import { type SyntheticEvent, useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation } from '../api/platform.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { AgentChoice } from '../components/agents/agent-filter.tsx'

/** Writes something down for an agent. */
export function WriteMemoryDialog({ agentId }: { readonly agentId: string | undefined }) {
  return (
    <Dialog
      title="Write a memory"
      isDismissable={false}
      trigger={
        <Button variant="primary" icon={<Plus aria-hidden />}>
          Write a memory
        </Button>
      }
    >
      {(close) => <WriteForm agentId={agentId} close={close} />}
    </Dialog>
  )
}

interface WriteFormProps {
  readonly agentId: string | undefined
  readonly close: () => void
}

function WriteForm({ agentId, close }: WriteFormProps) {
  const [chosen, setChosen] = useState(agentId)
  const [text, setText] = useState('')
  const [userId, setUserId] = useState('')
  const [tags, setTags] = useState<readonly string[]>([])
  const [expiry, setExpiry] = useState('')
  // Such a field is empty for the page: what stands in it would be left out without a word.
  const [isHalfWritten, setIsHalfWritten] = useState(false)
  const [attempts, setAttempts] = useState(0)
  const idempotency = useIdempotencyKey()
  const write = usePlatformMutation('writeMemory', {
    invalidates: ['searchMemory', 'listMemories'],
    onSuccess() {
      showToast({ title: 'Memory written' })
      close()
    },
  })

  const expiresAt = parseExpiry(expiry)
  const isNoTime = isHalfWritten || (expiry !== '' && expiresAt === undefined)
  const { fields, rest } = toFieldErrors(write.error, ['text', 'user_id', 'tags', 'expires_at'])

  function save(): void {
    setAttempts((before) => before + 1)
    if (chosen === undefined || text.trim() === '' || isNoTime) return
    const body = {
      agent_id: chosen,
      text,
      ...(userId.trim() !== '' && { user_id: userId.trim() }),
      ...(tags.length > 0 && { tags: [...tags] }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    }
    write.mutate({ body, headers: idempotency.headersFor(body) })
  }

  const noteHalfWritten = ({ target }: SyntheticEvent) =>
    setIsHalfWritten(target instanceof HTMLInputElement && target.validity.badInput)

  return (
    <SubmitForm error={write.error ?? attempts} onSubmit={save}>
      <AgentChoice value={chosen} onChange={setChosen} />
      <TextArea
        label="Text"
        value={text}
        onChange={setText}
        maxLength={100_000}
        isRequired
        errorMessage={fields.text}
      />
      <TextField
        label="Person"
        description="Found only when the agent works for this person."
        value={userId}
        onChange={setUserId}
        maxLength={200}
        errorMessage={fields.user_id}
      />
      <TokenField label="Tags" values={tags} onChange={setTags} errorMessage={fields.tags} />
      <TextField
        label="Expires at"
        description="Leave empty to keep the memory forever."
        type="datetime-local"
        value={expiry}
        onChange={setExpiry}
        onKeyUp={noteHalfWritten}
        onBlur={noteHalfWritten}
        errorMessage={attempts > 0 && isNoTime ? 'Enter a day and a time in the future.' : fields.expires_at}
      />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          isPending={write.isPending}
          isDisabled={chosen === undefined || text.trim() === ''}
        >
          Write
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

/**
 * Reads what a field of a day and a time holds, which is the time of this place; the server takes it with its offset.
 *
 * @returns ISO 8601 in UTC; undefined where it is no time that is still to come. A year of five digits, typed by mistake, is none.
 */
export function parseExpiry(local: string, nowMs = Date.now()): string | undefined {
  const time = Date.parse(local)
  return time > nowMs ? new Date(time).toISOString() : undefined
}
