import type { Collection } from '@homeward/contract/agent-platform'
import { FilePlus } from 'lucide-react'
import { useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

/** Writes a document by hand. */
export function TextDocumentDialog({ collection }: { readonly collection: Collection }) {
  return (
    <Dialog
      title="Write a document"
      size="large"
      isDismissable={false}
      trigger={<Button icon={<FilePlus aria-hidden />}>Write a document</Button>}
    >
      {(close) => <TextDocumentForm collection={collection} close={close} />}
    </Dialog>
  )
}

interface TextDocumentFormProps {
  readonly collection: Collection
  readonly close: () => void
}

function TextDocumentForm({ collection: { id, per_user }, close }: TextDocumentFormProps) {
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [userId, setUserId] = useState('')
  const add = usePlatformMutation('addDocuments', {
    invalidates: ['listDocuments'],
    onSuccess() {
      showToast({ title: 'Document added' })
      close()
    },
  })
  const { fields, rest } = toFieldErrors(add.error, ['name', 'text', 'user_id'])
  const isIncomplete = name.trim() === '' || text.trim() === '' || (per_user && userId.trim() === '')

  function save(): void {
    if (isIncomplete) return
    const body = {
      name: withEnding(name.trim()),
      text,
      ...(per_user && { user_id: userId.trim() }),
    }
    add.mutate({ params: { id }, body })
  }

  return (
    <SubmitForm error={add.error} onSubmit={save}>
      <TextField
        label="Name"
        description="A document with the same name is replaced."
        placeholder="Opening hours"
        value={name}
        onChange={setName}
        maxLength={190}
        isRequired
        errorMessage={fields['name']}
      />
      {per_user && (
        <TextField
          label="User whom it belongs to"
          value={userId}
          onChange={setUserId}
          maxLength={200}
          isRequired
          errorMessage={fields['user_id']}
        />
      )}
      <TextArea
        label="Text"
        description="Markdown headings are shown with each passage."
        rows={12}
        value={text}
        onChange={setText}
        isRequired
        errorMessage={fields['text']}
      />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={add.isPending} isDisabled={isIncomplete}>
          Add
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

/** The ending says the format: what people write is Markdown, unless they named another one. */
const withEnding = (name: string) => (/\.[a-z]{2,8}$/i.test(name) ? name : `${name}.md`)
