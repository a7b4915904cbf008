import type { Conversation } from '@homeward/contract/agent-platform'
import { type ReactElement, useState } from 'react'
import { toFieldErrors } from '../../api/field-errors.ts'
import { usePlatformMutation } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { DialogActions } from '../../components/dialogs/dialog-actions.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextField } from '../../components/fields/text-field.tsx'

/** What a {@link RenameDialog} takes. */
export interface RenameDialogProps {
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
  const [title, setTitle] = useState(conversation.title ?? '')
  const rename = usePlatformMutation('renameConversation', {
    invalidates: ['getConversation', 'listConversations'],
    onSuccess: close,
  })
  const { fields, rest } = toFieldErrors(rename.error, ['title'])
  return (
    <SubmitForm
      error={rename.error}
      onSubmit={() => {
        if (title.trim() !== '')
          rename.mutate({ params: { id: conversation.id }, body: { title: title.trim() } })
      }}
    >
      <TextField
        label="Title"
        value={title}
        onChange={setTitle}
        maxLength={500}
        isRequired
        autoFocus
        errorMessage={fields.title}
      />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isDisabled={title.trim() === ''} isPending={rename.isPending}>
          Rename
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
