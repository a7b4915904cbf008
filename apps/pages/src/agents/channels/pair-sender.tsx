import { useState } from 'react'
import { toFieldErrors } from '../../api/field-errors.ts'
import { usePlatformMutation } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'

/** Lets a person in by the code that they got in the chat. */
export function PairSender({ channel }: { readonly channel: string }) {
  const [code, setCode] = useState('')
  const pair = usePlatformMutation('pairChannelSender', {
    invalidates: ['listChannelSenders', 'getChannelStatus'],
    onSuccess({ sender }) {
      setCode('')
      showToast({ title: `${sender.name ?? sender.id} allowed` })
    },
  })
  const { fields, rest } = toFieldErrors(pair.error, ['code'])
  return (
    <SubmitForm
      onSubmit={() => pair.mutate({ params: { channel }, body: { code: code.trim() } })}
      error={pair.error}
    >
      <TextField
        label="Pairing code"
        value={code}
        onChange={setCode}
        errorMessage={fields.code}
        description="Unknown people get a code in the chat, valid for one hour. Enter the code to allow the person."
        autoComplete="off"
        spellCheck="false"
      />
      {rest && <ErrorState error={rest} isInline />}
      <div className="row" data-justify="end">
        <Button type="submit" isPending={pair.isPending} isDisabled={code.trim() === ''}>
          Allow
        </Button>
      </div>
    </SubmitForm>
  )
}
