import { usePlatformQuery } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { McpServerCard } from './mcp-server-card.tsx'
import { McpServerForm } from './mcp-server-form.tsx'

/** The MCP servers whose tools agents can use. */
export function McpServersPage() {
  const query = usePlatformQuery('listMcpServers')
  return (
    <>
      <PageHeader
        title="MCP servers"
        description="Programs and servers that provide tools to agents. Stored in mcp.json, which only you can read."
      />
      <QueryView query={query}>
        {({ servers }) => (
          <div className="stack">
            {servers.length === 0 && (
              <EmptyState title="No MCP servers yet">
                Servers that you add appear here. Add their names to an agent to give it their tools.
              </EmptyState>
            )}
            {servers.map((server) => (
              <McpServerCard key={server.name} server={server} />
            ))}
            <Card title="Add a server">
              <Disclosure title="New MCP server">
                <McpServerForm key={servers.length} saved={undefined} />
              </Disclosure>
            </Card>
          </div>
        )}
      </QueryView>
    </>
  )
}
