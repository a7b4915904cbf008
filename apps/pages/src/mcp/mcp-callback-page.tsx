import { useEffect, useRef } from 'react'
import { usePlatformMutation } from '../api/platform.ts'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { ErrorState } from '../components/states/error-state.tsx'

/** Where an identity provider sends a person back to, who gave access to an MCP server or did not. */
export function McpCallbackPage() {
  const finish = usePlatformMutation('finishMcpAuthorization', { invalidates: ['listMcpServers'] })
  const { mutate } = finish
  const isSent = useRef(false)
  const given = useRef(new URLSearchParams(location.search)).current
  const [state, code, iss] = [given.get('state'), given.get('code'), given.get('iss')]

  useEffect(() => {
    if (isSent.current || state === null || code === null) return
    isSent.current = true
    // the code stays in no history
    history.replaceState(null, '', '/mcp-servers/callback')
    mutate({ body: { state, code, ...(iss !== null && { iss }) } })
  }, [state, code, iss, mutate])

  return (
    <>
      <PageHeader title="Authorization of an MCP server" />
      <p role="status">{textOf(finish.data?.server.name, code !== null && state !== null)}</p>
      {finish.error && <ErrorState error={finish.error} isInline />}
      <LinkButton href="/mcp-servers">Open MCP servers</LinkButton>
    </>
  )
}

function textOf(server: string | undefined, isComplete: boolean): string {
  if (server !== undefined) return `${server} is authorized.`
  return isComplete ? 'Getting the access token…' : 'Access was denied. Start again from MCP servers.'
}
