import { Webhook } from 'lucide-react'
import { Button } from '../components/buttons/button.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView, type ViewedQuery } from '../components/states/query-view.tsx'
import { NewWebhookDialog } from './new-webhook-dialog.tsx'
import type { WebhookApi, WebhookView } from './webhook-api.ts'
import { WebhookCard } from './webhook-card.tsx'

/** What a {@link WebhooksView} takes. */
interface WebhooksViewProps {
  readonly api: WebhookApi
  readonly webhooks: ViewedQuery<readonly WebhookView[]>
}

/** All webhooks: other programs that are notified of events. */
export function WebhooksView({ api, webhooks }: WebhooksViewProps) {
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Addresses of programs that are notified of events."
        actions={
          <NewWebhookDialog
            api={api}
            trigger={
              <Button variant="primary" icon={<Webhook aria-hidden />}>
                Add webhook
              </Button>
            }
          />
        }
      />
      <QueryView
        query={webhooks}
        isEmpty={(all) => all.length === 0}
        empty={
          <EmptyState title="No webhooks yet">Add a webhook to notify another program of events.</EmptyState>
        }
      >
        {(all) => (
          <div className="stack">
            {all.map((webhook) => (
              <WebhookCard key={webhook.id} api={api} webhook={webhook} />
            ))}
          </div>
        )}
      </QueryView>
    </>
  )
}
