import { Plus } from 'lucide-react'
import { usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
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
        actions={
          <Dialog
            title="Add a server"
            size="large"
            isDismissable={false}
            trigger={
              <Button variant="primary" icon={<Plus aria-hidden />}>
                Add a server
              </Button>
            }
          >
            {(close) => <McpServerForm saved={undefined} onSaved={close} />}
          </Dialog>
        }
      />
      <QueryView query={query}>
        {({ servers }) => (
          <div className="stack">
            {servers.length === 0 && (
              <EmptyState title="No MCP servers yet">
                Servers that you add appear here. Enter their names to an agent to give it their tools.
              </EmptyState>
            )}
            {servers.map((server) => (
              <McpServerCard key={server.name} server={server} />
            ))}
          </div>
        )}
      </QueryView>
    </>
  )
}
