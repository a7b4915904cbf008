import { Webhook } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
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
  const [isAdding, setIsAdding] = useState(false)
  const add = (
    <Button icon={<Webhook aria-hidden />} onPress={() => setIsAdding(true)}>
      Add webhook
    </Button>
  )
  return (
    <section className="stack" aria-label={title}>
      <div className="row" data-justify="between">
        <h2>{title}</h2>
        {(webhooks.data?.length ?? 0) > 0 && add}
      </div>
      {/* Not in the empty state, which is gone once the secret shows. */}
      <NewWebhookDialog api={api} isOpen={isAdding} onOpenChange={setIsAdding} />
      <QueryView
        query={webhooks}
        isEmpty={(all) => all.length === 0}
        empty={
          <EmptyState title="No webhooks yet" icon={<Webhook aria-hidden />} action={add}>
            Webhooks notify other programs of these events.
          </EmptyState>
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
    </section>
  )
}
