import type { ChannelStore } from '../store/ports/channel-store.ts'
import * as channels from './channel-verbs.ts'
import type { Tables } from './tables.ts'

/** Runs a verb on the tables. */
type Run = <Result>(signal: AbortSignal | undefined, verb: (tables: Tables) => Result) => Promise<Result>

/** The verbs of `ChannelStore` over the tables of a store. */
export function bindChannelVerbs(run: Run): ChannelStore {
  return {
    acceptMessages: (batch, signal) => run(signal, (all) => channels.acceptMessages(all, batch)),
    claimDeliveries: (claim, signal) => run(signal, (all) => channels.claimDeliveries(all, claim)),
    renewDeliveries: (lease, ids, signal) => run(signal, (all) => channels.renewDeliveries(all, lease, ids)),
    saveDelivery: (write, signal) => run(signal, (all) => channels.saveDelivery(all, write)),
    resolveChannelMessage: (decision, signal) =>
      run(signal, (all) => channels.resolveChannelMessage(all, decision)),
    findChannelMessage: (id, signal) => run(signal, (all) => channels.findChannelMessage(all, id)),
    listChannelMessages: (filter, page, signal) =>
      run(signal, (all) => channels.listChannelMessages(all, filter, page)),
    countChannelMessages: (channel, signal) =>
      run(signal, (all) => channels.countChannelMessages(all, channel)),
    claimPolling: (source, lease, now, signal) =>
      run(signal, (all) => channels.claimPolling(all, source, lease, now)),
    releasePolling: (source, owner, signal) =>
      run(signal, (all) => channels.releasePolling(all, source, owner)),
  }
}
