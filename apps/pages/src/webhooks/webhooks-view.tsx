import { Webhook } from 'lucide-react'
import { Button } from '../components/buttons/button.tsx'
import { QueryView, type ViewedQuery } from '../components/states/query-view.tsx'
import { NewWebhookDialog } from './new-webhook-dialog.tsx'
import type { WebhookApi, WebhookView } from './webhook-api.ts'
import { WebhookCard } from './webhook-card.tsx'

/** What a {@link WebhooksView} takes. */
interface WebhooksViewProps {
  /** Of which events. */
  readonly title: string
  readonly api: WebhookApi
  readonly webhooks: ViewedQuery<readonly WebhookView[]>
}

/** All webhooks of one API: other programs that are notified of its events. */
export function WebhooksView({ title, api, webhooks }: WebhooksViewProps) {
  return (
    <section className="stack" aria-label={title}>
      <div className="row" data-justify="between">
        <h2>{title}</h2>
        <NewWebhookDialog api={api} trigger={<Button icon={<Webhook aria-hidden />}>Add webhook</Button>} />
      </div>
      <QueryView
        query={webhooks}
        isEmpty={(all) => all.length === 0}
        empty={<p className="muted">No webhooks yet. Add one to notify another program.</p>}
      >
        {(all) => (
          <div className="stack">
            {all.map((webhook) => (
              <WebhookCard key={webhook.id} api={api} webhook={webhook} />
            ))}
          </div>
        )}
      </QueryView>
    </section>
  )
}
