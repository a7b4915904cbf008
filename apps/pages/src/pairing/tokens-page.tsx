import type { EnrollmentToken } from '@homeward/contract/device-cloud'
import { useCloudMutation, useCloudQuery } from '../api/cloud.ts'
import { untilGone } from '../api/until-gone.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { showToast } from '../components/states/toasts.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { Labels } from '../devices/labels.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { ListPage, toList } from '../components/table/list-page.tsx'

const columns: readonly DataColumn<EnrollmentToken>[] = [
  { id: 'label', header: 'Label', cell: ({ label }) => label, width: '2fr', minWidth: 140 },
  {
    id: 'used',
    header: 'Devices',
    cell: ({ used, maxDevices }) => (maxDevices === undefined ? String(used) : `${used} of ${maxDevices}`),
    width: 110,
  },
  {
    id: 'approval',
    header: 'Approval',
    cell: ({ approval }) => (approval === 'auto' ? 'automatic' : 'asks'),
    width: 110,
  },
  {
    id: 'expires',
    header: 'Expires',
    cell: ({ expiresAt }) => (expiresAt === undefined ? 'never' : <RelativeTime value={expiresAt} />),
    width: 120,
  },
  {
    id: 'last',
    header: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? '–' : <RelativeTime value={lastUsedAt} />),
    width: 120,
  },
  { id: 'labels', header: 'Labels', cell: ({ labels }) => <Labels labels={labels} isInRow />, width: '2fr' },
  { id: 'revoke', header: 'Revoke', cell: (token) => <RevokeToken token={token} />, width: 120 },
]
const labelOf = ({ label }: EnrollmentToken) => label

/** The tokens by which devices get in without a code. */
export function TokensPage() {
  const tokens = useCloudQuery('listEnrollmentTokens', {}, { refetchInterval: 10_000 })
  return (
    <ListPage
      title="Enrollment tokens"
      description="A device that has a token needs no code."
      back={{ href: '/add', label: 'Add a device' }}
      actions={<TokenDialog />}
      query={toList(tokens, (reply) => reply.tokens)}
      loadingLabel="Loading tokens …"
      columns={columns}
      rowText={labelOf}
      empty={
        <EmptyState title="No enrollment tokens yet">
          Create a token to add many devices, or devices without a screen.
        </EmptyState>
      }
    />
  )
}

function RevokeToken({ token }: { readonly token: EnrollmentToken }) {
  const revoke = useCloudMutation('revokeEnrollmentToken', { invalidates: ['listEnrollmentTokens'] })
  return (
    <ActionMenu
      label={`Actions of ${token.label}`}
      actions={[
        {
          label: 'Revoke token',
          confirm: {
            title: `Revoke ${token.label}?`,
            text: <p>No more devices can enroll with this token. Devices that it admitted stay.</p>,
            onConfirm: async () => {
              await untilGone(revoke.mutateAsync({ params: { id: token.id } }))
              showToast({ title: 'Revoked', text: token.label })
            },
          },
        },
      ]}
    />
  )
}
