import type { McpServerView } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { usePlatformMutation } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextArea } from '../../components/fields/text-area.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { TokenField } from '../../components/fields/token-field.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { toServerInput, type ServerDraft } from './server-draft.ts'

const kinds = [
  { value: 'program', label: 'Program on this machine' },
  { value: 'address', label: 'Address' },
] as const
const grants = [
  { value: 'none', label: 'No OAuth' },
  { value: 'client_credentials', label: 'Client credentials' },
  { value: 'authorization_code', label: 'Sign-in by a person' },
] as const

/** Adds an MCP server, or changes one. Secrets are sent and forgotten. */
export function McpServerForm({ saved }: { readonly saved: McpServerView | undefined }) {
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
  })
  const change = (part: Partial<ServerDraft>) => setDraft((before) => ({ ...before, ...part }))
  const save = usePlatformMutation('saveMcpServer', {
    invalidates: ['listMcpServers'],
    onSuccess: () => showToast({ title: `${draft.name} saved` }),
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
            ? `Register ${location.origin}/mcp-servers/callback as redirect URI of the client.`
            : undefined
        }
      />
      {draft.grant !== 'none' && (
        <>
          <TextField
            label="Client id"
            isRequired
            value={draft.clientId}
            onChange={(clientId) => onChange({ clientId })}
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
        </>
      )}
    </div>
  )
}
