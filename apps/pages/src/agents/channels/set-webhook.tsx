import type { ChannelId } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { toFieldErrors } from '../../api/field-errors.ts'
import { usePlatformMutation } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { showToast } from '../../components/states/toasts.tsx'

/** Tells the platform where to call. */
export function SetWebhook({ channel }: { readonly channel: ChannelId }) {
  const [address, setAddress] = useState('')
  const register = usePlatformMutation('setChannelWebhook', {
    invalidates: ['getChannelStatus'],
    onSuccess: ({ webhook_url: url }) => showToast({ title: 'Webhook set', text: url }),
  })
  const { fields, rest } = toFieldErrors(register.error, ['base_url'])
  return (
    <SubmitForm
      onSubmit={() => register.mutate({ params: { channel }, body: { base_url: address.trim() } })}
      error={register.error}
    >
      <TextField
        label="Public address of this server"
        value={address}
        onChange={setAddress}
        errorMessage={fields.base_url}
        placeholder="https://agents.example.com"
        description="An https address without a path. The platform will call this address."
        inputMode="url"
      />
      {rest && <ErrorState error={rest} isInline />}
      <div className="row" data-justify="end">
        <Button type="submit" isPending={register.isPending} isDisabled={address.trim() === ''}>
          Set webhook
        </Button>
      </div>
    </SubmitForm>
  )
}
