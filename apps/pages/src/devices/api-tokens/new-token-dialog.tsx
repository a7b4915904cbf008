import type { ReactElement } from 'react'
import { useCloudMutation } from '../../api/cloud.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { TokenDialog } from '../../components/tokens/token-dialog.tsx'
import { TokenForm } from '../../components/tokens/token-form.tsx'
import { grantTexts } from './grants.ts'

/** Creates an API token: asks for its name and grants, then shows its secret, once. */
export function NewTokenDialog({ trigger }: { readonly trigger: ReactElement }) {
  return (
    <TokenDialog
      title="Create an API token"
      trigger={trigger}
      label="API token"
      warning="Anyone who has it can act for you."
    >
      {(close, onCreated) => <NewTokenForm close={close} onCreated={onCreated} />}
    </TokenDialog>
  )
}

interface NewTokenFormProps {
  readonly close: () => void
  readonly onCreated: (secret: string) => void
}

function NewTokenForm({ close, onCreated }: NewTokenFormProps) {
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createToken', {
    invalidates: ['listTokens', 'listAudit'],
    onSuccess: ({ secret }) => onCreated(secret),
  })
  return (
    <TokenForm
      legend="Grants"
      rights={grantTexts}
      initial={['read']}
      missing="Choose at least one grant."
      error={create.error}
      isPending={create.isPending}
      onCancel={close}
      onSubmit={({ rights, ...token }) => {
        const body = { ...token, may: [...rights] }
        create.mutate({ body, headers: idempotency.headersFor(body) })
      }}
    />
  )
}
