import type { AccessToken } from '@homeward/contract/agent-platform'
import { KeyRound } from 'lucide-react'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { Button } from '../components/buttons/button.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { TimeOrNever } from '../components/text/time-or-never.tsx'
import { RevokeToken } from './revoke-token.tsx'
import { NewAccessTokenDialog } from './new-access-token-dialog.tsx'
import { scopeTexts } from './scope-texts.ts'

const columns: readonly DataColumn<AccessToken>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: '2fr', minWidth: 120 },
  {
    id: 'scopes',
    header: 'Scopes',
    cell: ({ scopes }) => scopes.map((scope) => scopeTexts[scope].label).join(', '),
    width: '2fr',
    minWidth: 130,
  },
  {
    id: 'agents',
    header: 'Agents',
    cell: ({ agents }) => agents?.join(', ') ?? 'All',
    width: '2fr',
    minWidth: 110,
  },
  {
    id: 'used',
    header: 'Last used',
    cell: ({ last_used_at: usedAt }) => <TimeOrNever value={usedAt} />,
    width: 130,
  },
  {
    id: 'expires',
    header: 'Expires',
    cell: ({ expires_at: expiresAt }) => <TimeOrNever value={expiresAt} />,
    width: 130,
  },
  { id: 'revoke', header: 'Revoke', cell: (token) => <RevokeAccessToken token={token} />, width: 120 },
]
const idOf = ({ id }: AccessToken) => id
const textOf = ({ name }: AccessToken) => name

/** All access tokens of the platform. */
export function AccessTokensPage() {
  const tokens = usePlatformQuery('listTokens')
  return (
    <>
      <PageHeader
        title="Access tokens"
        back={{ href: '/settings', label: 'Settings' }}
        description="Other programs use access tokens to call this server. The token in the settings is not listed."
        actions={
          <NewAccessTokenDialog
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
          <EmptyState title="No access tokens yet">
            Create a token for each program that calls this server.
          </EmptyState>
        }
      >
        {(reply) => (
          <DataTable
            label="Access tokens"
            columns={columns}
            rows={reply.tokens}
            rowId={idOf}
            rowText={textOf}
          />
        )}
      </QueryView>
    </>
  )
}

function RevokeAccessToken({ token }: { readonly token: AccessToken }) {
  const revoke = usePlatformMutation('deleteToken', { invalidates: ['listTokens', 'listAudit'] })
  return (
    <RevokeToken name={token.name} revoke={() => untilGone(revoke.mutateAsync({ params: { id: token.id } }))}>
      Programs that use this token are rejected at once. Their open streams close within 35 seconds.
    </RevokeToken>
  )
}
