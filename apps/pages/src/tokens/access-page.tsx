import type { AccessToken } from '@homeward/contract/agent-platform'
import type { ApiToken } from '@homeward/contract/device-cloud'
import { KeyRound, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useCloudMutation, useCloudQuery } from '../api/cloud.ts'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { useIsLimited, useServerFacts } from '../api/server-facts.ts'
import { untilGone } from '../api/until-gone.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { CheckboxField } from '../components/fields/checkbox-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import { TimeOrNever } from '../components/text/relative-time.tsx'
import { TokenDialog } from './token-form.tsx'
import { type RightText, TokenForm } from './token-form.tsx'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { showToast } from '../components/states/toasts.tsx'

const createButton = (
  <Button variant="primary" icon={<KeyRound aria-hidden />}>
    Create token
  </Button>
)
const changed = ['listTokens', 'listAudit'] as const
const nameOf = ({ name }: { readonly name: string }) => name

/** A token of one of both APIs, as the list shows it. */
interface TokenRow {
  readonly id: string
  readonly name: string
  readonly half: 'Agents' | 'Devices'
  /** Scopes, in words. */
  readonly rights: string
  /** Limits, such as agents or labels. */
  readonly limits: string | undefined
  readonly used: string | undefined
  readonly expires: string | undefined
  /** The last characters of its secret. */
  readonly hint?: string
  readonly revoke: ReactNode
}

const columns: readonly DataColumn<TokenRow>[] = [
  { id: 'name', header: 'Name', cell: nameOf, width: '2fr', minWidth: 120 },
  { id: 'half', header: 'For', cell: ({ half }) => half, width: 90 },
  { id: 'rights', header: 'Rights', cell: ({ rights }) => rights, width: '2fr', minWidth: 130 },
  { id: 'limits', header: 'Limited to', cell: ({ limits = '–' }) => limits, width: '2fr', minWidth: 110 },
  {
    id: 'hint',
    header: 'Secret',
    cell: ({ hint }) => (hint === undefined ? '–' : <code>{hint}</code>),
    width: 110,
  },
  { id: 'used', header: 'Last used', cell: ({ used }) => <TimeOrNever value={used} />, width: 130 },
  { id: 'expires', header: 'Expires', cell: ({ expires }) => <TimeOrNever value={expires} />, width: 130 },
  { id: 'actions', header: 'Actions', cell: ({ revoke }) => revoke, width: 90, align: 'end' },
]

/** Tokens with which other programs call this server: those for agents, and those for devices. */
export function AccessPage() {
  const serves = useServerFacts()?.serves
  const isLimited = useIsLimited()
  const hasAgents = serves?.agents === true && !isLimited
  const hasDevices = serves?.devices === true
  const access = usePlatformQuery('listTokens', {}, { enabled: hasAgents })
  const api = useCloudQuery('listTokens', {}, { enabled: hasDevices })
  const isRead = (!hasAgents || access.data !== undefined) && (!hasDevices || api.data !== undefined)
  const rows = [...(access.data?.tokens.map(toAccessRow) ?? []), ...(api.data?.tokens.map(toApiRow) ?? [])]
  return (
    <ListPage
      title="Access tokens"
      description="Other programs use tokens to call this server. The access token of the advanced settings is not listed."
      actions={
        <TokenDialog
          title="Create a token"
          trigger={createButton}
          label="Token"
          warning="Anyone who has the token can do what its rights allow."
        >
          {(close, onCreated) => <NewToken {...{ hasAgents, hasDevices, close, onCreated }} />}
        </TokenDialog>
      }
      query={{
        data: serves && isRead ? rows : undefined,
        error: access.error ?? api.error,
        refetch: () => Promise.all([hasAgents && access.refetch(), hasDevices && api.refetch()]),
      }}
      columns={columns}
      rowText={nameOf}
      empty={
        <EmptyState title="No access tokens yet">
          Create a token for each program that calls this server.
        </EmptyState>
      }
    />
  )
}

const toAccessRow = (token: AccessToken): TokenRow => ({
  id: `agents ${token.id}`,
  name: token.name,
  half: 'Agents',
  rights: token.scopes.map((scope) => scopeTexts[scope].label).join(', '),
  limits:
    [token.agents?.join(', '), token.user_id && `user ${token.user_id}`].filter(Boolean).join('; ') ||
    undefined,
  used: token.last_used_at,
  expires: token.expires_at,
  revoke: <RevokeAccessToken token={token} />,
})

const toApiRow = (token: ApiToken): TokenRow => ({
  id: `devices ${token.id}`,
  name: token.name,
  half: 'Devices',
  rights: token.may.map((grant) => grantTexts[grant].label).join(', '),
  limits: token.filter && toLimits(token.filter),
  hint: token.hint,
  used: token.lastUsedAt,
  expires: token.expiresAt,
  revoke: <RevokeApiToken token={token} />,
})

const toLimits = ({ labels = [], type, platform, ids }: NonNullable<ApiToken['filter']>) =>
  [...labels, type, platform, ids && `${ids.length} devices`].filter(Boolean).join(', ')

const halves = [
  { value: 'agents', label: 'Agents and settings' },
  { value: 'devices', label: 'Devices' },
] as const

interface NewTokenOfProps extends NewTokenProps {
  readonly hasAgents: boolean
  readonly hasDevices: boolean
}

/** Asks what the token is for, and what it may do there. */
function NewToken({ hasAgents, hasDevices, ...rest }: NewTokenOfProps) {
  const [half, setHalf] = useState<'agents' | 'devices'>(hasAgents ? 'agents' : 'devices')
  return (
    <>
      {hasAgents && hasDevices && (
        <SelectField label="For" options={halves} value={half} onChange={setHalf} />
      )}
      {half === 'agents' ? <NewAccessToken {...rest} /> : <NewApiToken {...rest} />}
    </>
  )
}

/** Scopes of a token of the agent platform, in the words of the page. */
const scopeTexts: Readonly<Record<AccessToken['scopes'][number], RightText>> = {
  read: { label: 'Read', description: 'See agents, runs, conversations, memories and usage.' },
  run: { label: 'Run', description: 'Run agents and graphs, create tasks, and send messages.' },
  approve: { label: 'Approve', description: 'Approve or deny tool calls that wait for a person.' },
  admin: {
    label: 'Admin',
    description: 'Everything, including changes to agents, skills, settings, tokens and MCP servers.',
  },
}

function RevokeAccessToken({ token }: { readonly token: AccessToken }) {
  const revoke = usePlatformMutation('deleteToken', { invalidates: changed })
  return (
    <RevokeToken name={token.name} revoke={() => untilGone(revoke.mutateAsync({ params: { id: token.id } }))}>
      Programs that use this token are rejected at once. Their open streams close within 35 seconds.
    </RevokeToken>
  )
}

type Allowance = NonNullable<AccessToken['allow']>[number]

/** Fields of requests that a token of a user may set, in the words of the page. */
const allowTexts: Readonly<Record<Allowance, string>> = {
  metadata: 'Metadata',
  messages: 'Earlier messages',
  model_settings: 'Model settings',
  budget: 'Budget of a run',
}
const allowances = Object.keys(allowTexts) as Allowance[] // the keys of the object

interface AllowFieldProps {
  readonly allowed: readonly Allowance[]
  readonly onChange: (allowed: readonly Allowance[]) => void
}

function AllowField({ allowed, onChange }: AllowFieldProps) {
  return (
    <fieldset className="stack" data-gap="small">
      <legend>Requests may set</legend>
      {allowances.map((name) => (
        <CheckboxField
          key={name}
          label={allowTexts[name]}
          isSelected={allowed.includes(name)}
          onChange={(isChosen) =>
            onChange(allowances.filter((each) => (each === name ? isChosen : allowed.includes(each))))
          }
        />
      ))}
    </fieldset>
  )
}

interface NewTokenProps {
  readonly close: () => void
  readonly onCreated: (secret: string) => void
}

function NewAccessToken({ close, onCreated }: NewTokenProps) {
  const [agents, setAgents] = useState<readonly string[]>([])
  const [user, setUser] = useState('')
  const [allowed, setAllowed] = useState<readonly Allowance[]>([])
  const known = usePlatformQuery('listAgents')
  const create = usePlatformMutation('createToken', {
    invalidates: changed,
    onSuccess: ({ secret }) => onCreated(secret),
  })
  return (
    <TokenForm
      legend="Scopes"
      rights={scopeTexts}
      initial={['read']}
      missing="Choose at least one scope."
      error={create.error}
      isPending={create.isPending}
      onCancel={close}
      onSubmit={({ name, rights, expiresAt }) =>
        create.mutate({
          body: {
            name,
            scopes: [...rights],
            ...(agents.length > 0 && !rights.includes('admin') && { agents: [...agents] }),
            ...(user.trim() !== '' &&
              !rights.includes('admin') && {
                user_id: user.trim(),
                ...(allowed.length > 0 && { allow: [...allowed] }),
              }),
            ...(expiresAt !== undefined && { expires_at: expiresAt }),
          },
        })
      }
    >
      {(scopes) =>
        !scopes.includes('admin') && (
          <>
            <TokenField
              label="Agents"
              values={agents}
              onChange={setAgents}
              suggestions={known.data?.agents.map(({ id }) => id) ?? []}
              description="Agents that the token can use. Leave empty for all agents."
            />
            <TextField
              label="User"
              value={user}
              onChange={setUser}
              maxLength={200}
              autoComplete="off"
              description="Id of a user, who then reaches only their own data. Leave empty for a token that sees everything."
            />
            {user.trim() !== '' && <AllowField allowed={allowed} onChange={setAllowed} />}
          </>
        )
      }
    </TokenForm>
  )
}

/** What a token of the device cloud may do, in the words of the page. */
const grantTexts: Readonly<Record<ApiToken['may'][number], RightText>> = {
  read: { label: 'Read', description: 'See devices, searches with their results, and requested files.' },
  search: { label: 'Search', description: 'Create and cancel searches.' },
  fetch: { label: 'Fetch files', description: 'Request files from devices and download them.' },
  manage: { label: 'Manage', description: 'Register, change and delete devices, keys and tokens.' },
  audit: { label: 'Audit', description: 'Read the audit.' },
}

function RevokeApiToken({ token }: { readonly token: ApiToken }) {
  const revoke = useCloudMutation('deleteToken', { invalidates: changed })
  return (
    <RevokeToken name={token.name} revoke={() => untilGone(revoke.mutateAsync({ params: { id: token.id } }))}>
      Scripts that use this token are rejected at once.
    </RevokeToken>
  )
}

function NewApiToken({ close, onCreated }: NewTokenProps) {
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createToken', {
    invalidates: changed,
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

/** What a {@link RevokeToken} takes. */
interface RevokeTokenProps {
  readonly name: string
  readonly revoke: () => Promise<unknown>
  /** What follows. */
  readonly children: ReactNode
}

/** The menu of a token, which revokes it. */
function RevokeToken({ name, revoke, children }: RevokeTokenProps) {
  return (
    <ActionMenu
      label={`Actions of ${name}`}
      actions={[
        {
          label: 'Revoke token',
          icon: <Trash2 aria-hidden />,
          confirm: {
            title: `Revoke ${name}?`,
            text: <p>{children}</p>,
            onConfirm: async () => {
              await revoke()
              showToast({ title: 'Token revoked', text: name })
            },
          },
        },
      ]}
    />
  )
}
