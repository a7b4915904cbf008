import type { McpServerView, McpGrantType, McpLogin, McpServerInput } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { usePlatformMutation } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

const kinds = [
  { value: 'program', label: 'Program on this machine' },
  { value: 'address', label: 'Address' },
] as const
const grants = [
  { value: 'none', label: 'No OAuth' },
  { value: 'client_credentials', label: 'Client credentials' },
  { value: 'authorization_code', label: 'Sign-in by a person' },
] as const

const logins = [
  { value: 'operator', label: 'One login for everybody' },
  { value: 'user', label: 'Each user logs in' },
] as const

interface McpServerFormProps {
  readonly saved: McpServerView | undefined
  readonly onSaved?: () => void
}

/** Adds an MCP server, or changes one. Secrets are sent and forgotten. */
export function McpServerForm({ saved, onSaved }: McpServerFormProps) {
  const [draft, setDraft] = useState<ServerDraft>({
    name: saved?.name ?? '',
    kind: saved?.url === undefined ? 'program' : 'address',
    command: saved?.command ?? '',
    args: (saved?.args ?? []).join('\n'),
    url: saved?.url ?? '',
    secrets: '',
    tools: saved?.tools ?? [],
    grant: saved?.oauth?.grant_type ?? 'none',
    clientId: saved?.oauth?.client_id ?? '',
    clientSecret: '',
    scope: saved?.oauth?.scope ?? '',
    login: saved?.login ?? 'operator',
  })
  const change = (part: Partial<ServerDraft>) => setDraft((before) => ({ ...before, ...part }))
  const save = usePlatformMutation('saveMcpServer', {
    invalidates: ['listMcpServers'],
    onSuccess() {
      showToast({ title: `${draft.name} saved` })
      onSaved?.()
    },
  })
  const send = () => save.mutate({ params: { name: draft.name }, body: toServerInput(draft, saved?.cwd) })
  const isProgram = draft.kind === 'program'
  const known = saved?.[isProgram ? 'env' : 'headers'] ?? []
  return (
    <SubmitForm onSubmit={send} error={save.error}>
      <div className="field-grid">
        <TextField
          label="Name"
          isRequired
          isReadOnly={saved !== undefined}
          value={draft.name}
          onChange={(name) => change({ name })}
        />
        <SelectField label="Kind" options={kinds} value={draft.kind} onChange={(kind) => change({ kind })} />
        {isProgram ? (
          <TextField
            label="Command"
            isRequired
            value={draft.command}
            onChange={(command) => change({ command })}
            description="The server starts this program with your rights. Add only programs that you trust."
          />
        ) : (
          <TextField label="URL" isRequired value={draft.url} onChange={(url) => change({ url })} />
        )}
      </div>
      {isProgram && (
        <TextArea
          label="Arguments"
          value={draft.args}
          onChange={(args) => change({ args })}
          description="One per line."
        />
      )}
      <TextArea
        label={isProgram ? 'Environment' : 'Headers'}
        value={draft.secrets}
        onChange={(secrets) => change({ secrets })}
        description={
          known.length > 0
            ? `NAME=value, one per line. Stored: ${known.join(', ')}. Leave empty to keep the stored values.`
            : 'NAME=value, one per line.'
        }
      />
      {!isProgram && (
        <OAuthFields draft={draft} onChange={change} hasSecret={saved?.oauth?.has_client_secret} />
      )}
      <TokenField
        label="Tools"
        values={draft.tools}
        onChange={(tools) => change({ tools })}
        description="Tools that agents can use. Leave empty for all tools."
      />
      {save.error && <ErrorState error={save.error} isInline />}
      <div className="row">
        <Button type="submit" variant="primary" isPending={save.isPending} isDisabled={!draft.name}>
          Save server
        </Button>
      </div>
    </SubmitForm>
  )
}

interface OAuthFieldsProps {
  readonly draft: ServerDraft
  readonly onChange: (part: Partial<ServerDraft>) => void
  readonly hasSecret: boolean | undefined
}

function OAuthFields({ draft, onChange, hasSecret }: OAuthFieldsProps) {
  return (
    <div className="field-grid">
      <SelectField
        label="OAuth"
        options={grants}
        value={draft.grant}
        onChange={(grant) => onChange({ grant })}
        description={
          draft.grant === 'authorization_code'
            ? `If you enter a client id, register ${location.origin}/mcp-servers/callback as its redirect URI.`
            : undefined
        }
      />
      {draft.grant !== 'none' && (
        <>
          <TextField
            label="Client id"
            isRequired={draft.grant === 'client_credentials'}
            value={draft.clientId}
            onChange={(clientId) => onChange({ clientId })}
            description={
              draft.grant === 'authorization_code'
                ? 'Leave empty to register a client automatically.'
                : undefined
            }
          />
          <TextField
            label="Client secret"
            type="password"
            value={draft.clientSecret}
            onChange={(clientSecret) => onChange({ clientSecret })}
            description={
              hasSecret === true
                ? 'Stored. Leave empty to keep the stored secret.'
                : 'Leave empty if the client has no secret.'
            }
          />
          <TextField label="Scope" value={draft.scope} onChange={(scope) => onChange({ scope })} />
          {draft.grant === 'authorization_code' && (
            <SelectField
              label="Login"
              options={logins}
              value={draft.login}
              onChange={(login) => onChange({ login })}
              description={
                draft.login === 'user'
                  ? 'A run waits until its user has logged in. Links start with the setting public_url.'
                  : undefined
              }
            />
          )}
        </>
      )}
    </div>
  )
}

/** An MCP server as its form holds it. */
export interface ServerDraft {
  readonly name: string
  readonly kind: 'program' | 'address'
  readonly command: string
  /** One a line. */
  readonly args: string
  readonly url: string
  /** `NAME=value`, one a line: environment or headers. */
  readonly secrets: string
  readonly tools: readonly string[]
  readonly grant: 'none' | McpGrantType
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
  readonly login: McpLogin
}

/** What is sent. Secrets that were left empty stay as they are stored. */
export function toServerInput(draft: ServerDraft, cwd: string | undefined): McpServerInput {
  const { kind, command, url, tools, grant, clientId, clientSecret, scope, login } = draft
  const secrets = toEntries(draft.secrets)
  const shared = tools.length > 0 ? { tools: [...tools] } : {}
  if (kind === 'program') {
    const args = linesOf(draft.args)
    return {
      command,
      ...(args.length > 0 && { args }),
      ...(cwd !== undefined && { cwd }),
      ...(secrets && { env: secrets }),
      ...shared,
    }
  }
  const oauth = grant !== 'none' && {
    grant_type: grant,
    ...(clientId !== '' && { client_id: clientId }),
    ...(clientSecret !== '' && { client_secret: clientSecret }),
    ...(scope !== '' && { scope }),
  }
  const ofUser = grant === 'authorization_code' && login === 'user' && { login }
  return { url, ...(secrets && { headers: secrets }), ...(oauth && { oauth }), ...ofUser, ...shared }
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

function toEntries(text: string): Record<string, string> | undefined {
  const entries = linesOf(text).map((line): [string, string] => {
    const at = line.indexOf('=')
    return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  })
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
