import type { Conversation } from '@homeward/contract/agent-platform'
import { type ReactElement, useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { platform, usePlatformMutation } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { changedElsewhere } from '../components/fields/use-clashes.ts'
import { useClashes } from '../components/fields/use-clashes.ts'

/** What a {@link RenameDialog} takes. */
interface RenameDialogProps {
  readonly conversation: Conversation
  readonly trigger: ReactElement
}

/** Gives a conversation another title. */
export function RenameDialog({ conversation, trigger }: RenameDialogProps) {
  return (
    <Dialog title="Rename the conversation" trigger={trigger} size="small" isDismissable={false}>
      {(close) => <RenameForm conversation={conversation} close={close} />}
    </Dialog>
  )
}

interface RenameFormProps {
  readonly conversation: Conversation
  readonly close: () => void
}

function RenameForm({ conversation, close }: RenameFormProps) {
  const { id } = conversation
  const [title, setTitle] = useState(conversation.title ?? '')
  const [isReading, setIsReading] = useState(false)
  const clashes = useClashes<Pick<Conversation, 'title'>, 'title'>(conversation)
  const rename = usePlatformMutation('renameConversation', {
    invalidates: ['getConversation', 'listConversations'],
    onSuccess: close,
  })
  const { fields, rest } = toFieldErrors(rename.error, ['title'])
  const wanted = title.trim()

  async function save(): Promise<void> {
    if (wanted === '') return
    setIsReading(true)
    // What cannot be read cannot be saved either.
    const now = await platform.getConversation({ params: { id }, query: { limit: '1' } }).then(
      (reply) => reply.conversation,
      () => conversation,
    )
    setIsReading(false)
    const find = (known: Pick<Conversation, 'title'>) =>
      now.title !== known.title && now.title !== wanted ? (['title'] as const) : []
    if (clashes.mayReplace(now, find)) rename.mutate({ params: { id }, body: { title: wanted } })
  }

  return (
    <SubmitForm error={rename.error ?? clashes.told.join(' ')} onSubmit={() => void save()}>
      <TextField
        label="Title"
        value={title}
        onChange={setTitle}
        maxLength={500}
        isRequired
        autoFocus
        errorMessage={fields.title ?? (clashes.told.length > 0 ? changedElsewhere : undefined)}
      />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          isDisabled={wanted === ''}
          isPending={isReading || rename.isPending}
        >
          Rename
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
