import { useState, type ReactElement } from 'react'
import { useLocation } from 'wouter'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation } from '../api/platform.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { AgentChoice } from '../components/agents/agent-filter.tsx'

/** What an {@link AppendDialog} takes. */
interface AppendDialogProps {
  /** Appends to this one; without it a new conversation begins. */
  readonly conversationId?: string
  readonly agentId?: string | undefined
}

/** Adds a message that nobody answers: something that an agent is to know when it is asked the next time. */
export function AppendDialog({ conversationId, agentId }: AppendDialogProps) {
  const isNew = conversationId === undefined
  const trigger: ReactElement = <Button>{isNew ? 'Leave a message' : 'Add a message'}</Button>
  return (
    <Dialog title={isNew ? 'Leave a message' : 'Add a message'} trigger={trigger} isDismissable={false}>
      {(close) => <AppendForm {...(!isNew && { conversationId })} agentId={agentId} close={close} />}
    </Dialog>
  )
}

const roles = [
  { value: 'user', label: 'A person' },
  { value: 'assistant', label: 'The agent' },
] as const

function AppendForm({ conversationId, agentId, close }: AppendDialogProps & { readonly close: () => void }) {
  const [, navigate] = useLocation()
  const [chosen, setChosen] = useState(agentId)
  const [role, setRole] = useState<'user' | 'assistant'>('user')
  const [title, setTitle] = useState('')
  const [content, setContent] = useState('')
  const idempotency = useIdempotencyKey()
  const append = usePlatformMutation('appendMessage', {
    invalidates: ['getConversation', 'listConversations'],
    onSuccess: ({ conversation_id }) => {
      close()
      if (conversationId === undefined) navigate(`/conversations/${encodeURIComponent(conversation_id)}`)
    },
  })
  const { fields, rest } = toFieldErrors(append.error, ['content', 'title'])
  const isComplete = content.trim() !== '' && (conversationId !== undefined || chosen !== undefined)
  const body = {
    content,
    role,
    ...(conversationId === undefined
      ? { agent_id: chosen, ...(title.trim() !== '' && { title: title.trim() }) }
      : { conversation_id: conversationId }),
  }
  return (
    <SubmitForm
      error={append.error}
      onSubmit={() => {
        if (isComplete) append.mutate({ body, headers: idempotency.headersFor(body) })
      }}
    >
      <p className="muted">The agent does not answer it now. It reads it with the next message.</p>
      {conversationId === undefined && (
        <>
          <AgentChoice value={chosen} onChange={setChosen} />
          <TextField
            label="Title"
            value={title}
            onChange={setTitle}
            maxLength={500}
            errorMessage={fields.title}
          />
        </>
      )}
      <SelectField label="Sender" options={roles} value={role} onChange={setRole} />
      <TextArea
        label="Message"
        value={content}
        onChange={setContent}
        isRequired
        maxLength={1_000_000}
        errorMessage={fields.content}
      />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isDisabled={!isComplete} isPending={append.isPending}>
          Add
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
