import type { ApiToken } from '@homeward/contract/device-cloud'
import { KeyRound } from 'lucide-react'
import { useCloudMutation, useCloudQuery } from '../api/cloud.ts'
import { untilGone } from '../api/until-gone.ts'
import { Button } from '../components/buttons/button.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { TimeOrNever } from '../components/text/time-or-never.tsx'
import { RevokeToken } from './revoke-token.tsx'
import type { ReactElement } from 'react'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { TokenDialog } from './token-dialog.tsx'
import { TokenForm, type RightText } from './token-form.tsx'

const columns: readonly DataColumn<ApiToken>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: '2fr', minWidth: 120 },
  {
    id: 'may',
    header: 'Grants',
    cell: ({ may }) => may.map((grant) => grantTexts[grant].label).join(', '),
    width: '2fr',
    minWidth: 140,
  },
  { id: 'hint', header: 'Token', cell: ({ hint }) => <code>{hint}</code>, width: 120 },
  {
    id: 'used',
    header: 'Last used',
    cell: ({ lastUsedAt }) => <TimeOrNever value={lastUsedAt} />,
    width: 130,
  },
  {
    id: 'expires',
    header: 'Expires',
    cell: ({ expiresAt }) => <TimeOrNever value={expiresAt} />,
    width: 130,
  },
  { id: 'revoke', header: 'Revoke', cell: (token) => <RevokeApiToken token={token} />, width: 120 },
]
const idOf = ({ id }: ApiToken) => id
const textOf = ({ name }: ApiToken) => name

/** All API tokens of the user. */
export function ApiTokensPage() {
  const tokens = useCloudQuery('listTokens', {})
  return (
    <>
      <PageHeader
        title="API tokens"
        description="Scripts use API tokens to act for you."
        actions={
          <NewTokenDialog
            trigger={
              <Button variant="primary" icon={<KeyRound aria-hidden />}>
                Create token
              </Button>
            }
          />
        }
      />
      <QueryView
        query={tokens}
        isEmpty={(reply) => reply.tokens.length === 0}
        empty={
          <EmptyState title="No API tokens yet">Create a token to call this server from a script.</EmptyState>
        }
      >
        {(reply) => (
          <DataTable label="API tokens" columns={columns} rows={reply.tokens} rowId={idOf} rowText={textOf} />
        )}
      </QueryView>
    </>
  )
}

function RevokeApiToken({ token }: { readonly token: ApiToken }) {
  const revoke = useCloudMutation('deleteToken', { invalidates: ['listTokens', 'listAudit'] })
  return (
    <RevokeToken name={token.name} revoke={() => untilGone(revoke.mutateAsync({ params: { id: token.id } }))}>
      Scripts that use this token are rejected at once.
    </RevokeToken>
  )
}

/** Creates an API token: asks for its name and grants, then shows its secret, once. */
function NewTokenDialog({ trigger }: { readonly trigger: ReactElement }) {
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

type Grant = ApiToken['may'][number]

/** What a token may do, in the words of the page. */
const grantTexts: Readonly<Record<Grant, RightText>> = {
  read: { label: 'Read', description: 'See devices, searches with their results, and requested files.' },
  search: { label: 'Search', description: 'Create and cancel searches.' },
  fetch: { label: 'Fetch files', description: 'Request files from devices and download them.' },
  manage: { label: 'Manage', description: 'Register, change and delete devices, keys and tokens.' },
  audit: { label: 'Audit', description: 'Read the audit.' },
}
