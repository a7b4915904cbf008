import type { ChannelMessage, ChannelMessageStatus } from '@homeward/contract/agent-platform'
import { usePlatformPages } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { ChannelMessageItem } from './channel-message-item.tsx'

const all = 'all'

const filters: readonly { readonly value: ChannelMessageStatus | typeof all; readonly label: string }[] = [
  { value: all, label: 'All' },
  { value: 'uncertain', label: 'Uncertain: you decide' },
  { value: 'failed', label: 'Failed' },
  { value: 'waiting', label: 'Waiting for the agent' },
  { value: 'delivering', label: 'Being delivered' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'discarded', label: 'Discarded' },
]

const messagesOf = ({ messages }: { readonly messages: readonly ChannelMessage[] }) => messages

const noFilter = { status: all }

/** Messages that came in through a channel, and what became of their answers. Status stands in the address. */
export function ChannelMessages({ channel }: { readonly channel: string }) {
  const [filter, change] = useAddressFilter(noFilter)
  const status = filters.find(({ value }) => value === filter.status)?.value ?? all
  const query = usePlatformPages(
    'listChannelMessages',
    { params: { channel }, query: { limit: '50', ...(status !== all && { status }) } },
    { select: messagesOf },
  )
  return (
    <>
      <SelectField
        label="Status"
        options={filters}
        value={status}
        onChange={(chosen) => change({ status: chosen })}
      />
      <QueryView
        query={query}
        isEmpty={(messages) => messages.length === 0}
        empty={
          <p className="muted">
            {status === all
              ? 'Messages appear here once someone writes to the agent.'
              : 'No messages match this filter.'}
          </p>
        }
      >
        {(messages) => (
          <ul className="channel-messages">
            {messages.map((message) => (
              <ChannelMessageItem key={message.id} message={message} />
            ))}
          </ul>
        )}
      </QueryView>
      {query.loadMore && (
        <Button isPending={query.isFetchingNextPage} onPress={query.loadMore}>
          Older messages
        </Button>
      )}
    </>
  )
}
