import type { Collection } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { CheckboxField } from '../components/fields/checkbox-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

/** Creates a collection, and opens it. @param isOnlyOne whether no other button of the page does. */
export function NewCollectionDialog({ isOnlyOne = false }: { readonly isOnlyOne?: boolean }) {
  return (
    <Dialog
      title="New collection"
      isDismissable={false}
      trigger={
        <Button variant={isOnlyOne ? 'secondary' : 'primary'} icon={<Plus aria-hidden />}>
          {isOnlyOne ? 'Create the first one' : 'New collection'}
        </Button>
      }
    >
      {(close) => <NewCollectionForm close={close} />}
    </Dialog>
  )
}

interface FormFields {
  readonly name: string
  readonly description: string
  readonly per_user: boolean
}

function NewCollectionForm({ close }: { readonly close: () => void }) {
  const [, navigate] = useLocation()
  const [fields, setFields] = useState<FormFields>({ name: '', description: '', per_user: false })
  const [givenId, setGivenId] = useState('')
  const create = usePlatformMutation('createCollection', {
    invalidates: ['listCollections'],
    onSuccess({ collection }) {
      close()
      navigate(`/collections/${collection.id}`)
    },
  })
  const id = givenId.trim() || toCollectionId(fields.name)
  const isTaken = ClientError.is(create.error) && create.error.status === 409
  const problems = toFieldErrors(isTaken ? null : create.error, ['id', 'name', 'description'])
  const { name, description, per_user } = fields
  return (
    <SubmitForm
      error={create.error}
      onSubmit={() => create.mutate({ body: { id, per_user, ...textsOf({ name, description }) } })}
    >
      <TextField
        label="Name"
        value={name}
        onChange={(name) => setFields({ ...fields, name })}
        maxLength={200}
        errorMessage={problems.fields['name']}
      />
      <TextField
        label="Id"
        description="Programs use this id. You cannot change it later."
        placeholder={toCollectionId(name) || 'handbook'}
        value={givenId}
        onChange={setGivenId}
        maxLength={64}
        errorMessage={isTaken ? 'A collection with this id already exists' : problems.fields['id']}
      />
      <DescriptionField
        value={description}
        onChange={(description) => setFields({ ...fields, description })}
        errorMessage={problems.fields['description']}
      />
      <CheckboxField
        label="Each document belongs to a user"
        description="Then an agent finds the documents of the user it works for, and no others. You cannot change this while there are documents."
        isSelected={per_user}
        onChange={(per_user) => setFields({ ...fields, per_user })}
      />
      {problems.rest && <ErrorState error={problems.rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={create.isPending} isDisabled={id === ''}>
          Create
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

interface DescriptionFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly errorMessage: string | undefined
}

const DescriptionField = (props: DescriptionFieldProps) => (
  <TextArea
    {...props}
    label="Description"
    description="Agents read this to decide when to search here."
    rows={3}
    maxLength={2000}
  />
)

const textsOf = ({ name, description }: Omit<FormFields, 'per_user'>) => ({
  ...(name.trim() !== '' && { name: name.trim() }),
  ...(description.trim() !== '' && { description: description.trim() }),
})

/** An id that reads like a name: "Rules of the house" → `rules-of-the-house`. Empty where no letter or digit is left. */
export const toCollectionId = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64)

interface EditCollectionDialogProps {
  readonly collection: Collection
  readonly onClose: () => void
}

/** Changes the name and the description of a collection. */
export function EditCollectionDialog({ collection, onClose }: EditCollectionDialogProps) {
  return (
    <Dialog
      title="Edit collection"
      isDismissable={false}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <EditCollectionForm collection={collection} close={onClose} />
    </Dialog>
  )
}

function EditCollectionForm({
  collection,
  close,
}: {
  readonly collection: Collection
  readonly close: () => void
}) {
  const [name, setName] = useState(collection.name ?? '')
  const [description, setDescription] = useState(collection.description ?? '')
  const update = usePlatformMutation('updateCollection', {
    invalidates: ['listCollections', 'getCollection'],
    onSuccess() {
      showToast({ title: 'Saved' })
      close()
    },
  })
  const { fields, rest } = toFieldErrors(update.error, ['name', 'description'])
  return (
    <SubmitForm
      error={update.error}
      onSubmit={() =>
        update.mutate({
          params: { id: collection.id },
          body: { name: name.trim() || null, description: description.trim() || null },
        })
      }
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={200} errorMessage={fields['name']} />
      <DescriptionField value={description} onChange={setDescription} errorMessage={fields['description']} />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={update.isPending}>
          Save
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
