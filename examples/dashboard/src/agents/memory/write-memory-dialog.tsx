import { Plus } from 'lucide-react'
import { useState } from 'react'
import { usePlatformMutation } from '../../api/platform.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { SubmitForm } from '../../components/submit-form.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toasts.tsx'
import { TokenField } from '../../components/token-field.tsx'
import { AgentChoice } from '../runs/agent-filter.tsx'

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
  const [expiresAt, setExpiresAt] = useState('')
  const write = usePlatformMutation('writeMemory', {
    invalidates: ['searchMemory'],
    onSuccess() {
      showToast({ title: 'It was written down' })
      close()
    },
  })

  function save(): void {
    if (chosen === undefined || text.trim() === '') return
    write.mutate({
      body: {
        agent_id: chosen,
        text,
        ...(userId.trim() !== '' && { user_id: userId.trim() }),
        ...(tags.length > 0 && { tags: [...tags] }),
        // The field has the time of this place; the server takes it with its offset.
        ...(expiresAt !== '' && { expires_at: new Date(expiresAt).toISOString() }),
      },
    })
  }

  return (
    <SubmitForm error={write.error} onSubmit={save}>
      <AgentChoice value={chosen} onChange={setChosen} />
      <TextArea label="Text" value={text} onChange={setText} maxLength={100_000} isRequired />
      <TextField
        label="Person"
        description="Only found when the agent works for this person."
        value={userId}
        onChange={setUserId}
        maxLength={200}
      />
      <TokenField label="Tags" values={tags} onChange={setTags} />
      <TextField
        label="Forget it at"
        description="Without a time it stays."
        type="datetime-local"
        value={expiresAt}
        onChange={setExpiresAt}
      />
      {write.error && <ErrorState error={write.error} isInline />}
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
