import type { McpServerTest, McpServerView } from '@homeward/contract/agent-platform'
import { usePlatformMutation } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { Button } from '../components/buttons/button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { McpServerForm } from './mcp-server-form.tsx'

/** One MCP server: what it is, its test, its authorization, and how to change it. */
export function McpServerCard({ server }: { readonly server: McpServerView }) {
  const { name, command, args = [], url, source, problem, oauth } = server
  const test = usePlatformMutation('testMcpServer', { invalidates: ['listMcpServers'] })
  const isUsable = command !== undefined || url !== undefined
  return (
    <Card title={name}>
      {isUsable && <p className="foreign muted">{url ?? [command, ...args].join(' ')}</p>}
      {problem !== undefined && test.data === undefined && <p role="status">{problem}</p>}
      {test.data && <TestResult result={test.data} />}
      {test.error && <ErrorState error={test.error} isInline />}
      <div className="row">
        {isUsable && (
          <Button isPending={test.isPending} onPress={() => test.mutate({ params: { name } })}>
            Test server
          </Button>
        )}
        {oauth?.grant_type === 'authorization_code' && (
          <AuthorizeServer name={name} isAuthorized={oauth.is_authorized} />
        )}
        {source === 'file' && <DeleteServer name={name} />}
      </div>
      {source === 'app' && <p className="muted small">Configured in the code of the app. Change it there.</p>}
      {source === 'file' && isUsable && (
        <Disclosure title={`Change ${name}`}>
          <McpServerForm saved={server} />
        </Disclosure>
      )}
    </Card>
  )
}

function TestResult({ result }: { readonly result: McpServerTest }) {
  if (!result.ok) return <p role="status">{result.error}</p>
  const { tools = [] } = result
  return (
    <div role="status">
      <p>
        {tools.length === 1 ? '1 tool found' : `${tools.length} tools found`}
        {result.protocol_version !== undefined && `, protocol ${result.protocol_version}`}
      </p>
      <ul className="foreign small">
        {tools.map(({ name, description, is_offered: isOffered }) => (
          <li key={name}>
            <strong>{name}</strong> {description?.slice(0, 300)} {!isOffered && '(not offered to agents)'}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface AuthorizeServerProps {
  readonly name: string
  readonly isAuthorized: boolean
}

function AuthorizeServer({ name, isAuthorized }: AuthorizeServerProps) {
  const begin = usePlatformMutation('authorizeMcpServer', {
    invalidates: ['listMcpServers'],
    onSuccess({ authorization_url: address }) {
      if (address === undefined) showToast({ title: `${name} authorized` })
      else location.assign(address)
    },
  })
  const body = { redirect_uri: `${location.origin}/mcp-servers/callback` }
  return (
    <>
      <Button isPending={begin.isPending} onPress={() => begin.mutate({ params: { name }, body })}>
        {isAuthorized ? 'Authorize server again' : 'Authorize server'}
      </Button>
      {begin.error && <ErrorState error={begin.error} isInline />}
    </>
  )
}

function DeleteServer({ name }: { readonly name: string }) {
  const remove = usePlatformMutation('deleteMcpServer', { invalidates: ['listMcpServers'] })
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirmLabel="Delete server"
      trigger={<Button>Delete server</Button>}
      onConfirm={async () => {
        await untilGone(remove.mutateAsync({ params: { name } }))
        showToast({ title: `${name} deleted` })
      }}
    >
      <p>Agents that use the server lose its tools. Its secrets and access token are deleted.</p>
    </ConfirmDialog>
  )
}
