import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { auditStoreConformance, tokenStoreConformance } from './access/access-store-conformance.ts'
import { agentStoreConformance } from './agent-store-conformance.ts'
import { agentVersionConformance } from './agent-version-conformance.ts'
import { budgetStoreConformance } from './budget-store-conformance.ts'
import { approvalNoticeConformance } from './channels/approval-notice-conformance.ts'
import { channelStoreConformance } from './channels/channel-store-conformance.ts'
import { senderLinkConformance } from './channels/sender-link-conformance.ts'
import type { StoreHarness } from './conformance-case.ts'
import { type ConformanceCase, expectCode, expectSame } from '@homeward/kit/testing'
import { storeCase } from './conformance-case.ts'
import * as make from './conformance-fixtures.ts'
import { conversationStoreConformance } from './conversations/conversation-store-conformance.ts'
import { documentStoreConformance } from './document-conformance.ts'
import { fileStoreConformance } from './file-store-conformance.ts'
import { graphStoreConformance } from './graph-store-conformance.ts'
import { journalConformance } from './journal-conformance.ts'
import { exactValueCases } from './letter-conformance.ts'
import { memoryStoreConformance } from './memories/memory-store-conformance.ts'
import { retentionConformance } from './retention-conformance.ts'
import { feedbackStoreConformance } from './runs/feedback-conformance.ts'
import { whatIfStoreConformance } from './runs/what-if-conformance.ts'
import { runInputConformance } from './runs/run-input-conformance.ts'
import { responseStoreConformance } from './runs/response-store-conformance.ts'
import { runStoreConformance } from './runs/run-store-conformance.ts'
import { signalCases } from './signal-conformance.ts'
import { scheduleStoreConformance } from './schedules/schedule-store-conformance.ts'
import { taskStoreConformance } from './tasks/task-store-conformance.ts'
import { signalStoreConformance } from './runs/signal-store-conformance.ts'
import { triggerStoreConformance } from './trigger-conformance.ts'
import { usageStoreConformance } from './usage-conformance.ts'
import { webhookStoreConformance } from './webhook-conformance.ts'

const storeCases: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase('closing twice is safe, and a closed store says so', async (store) => {
    const written = store.insertAgent(make.agentOf('a1'))
    await store.close()
    await store.close()
    expectSame(await written, true, 'a write that was on its way')
    for (const call of [
      () => store.findAgent('a1'),
      () => store.insertAgent(make.agentOf('a2')),
      () => store.searchMemories({ text: 'x', limit: 1, now: make.at(0) }),
      () => store.appendEvents([]),
    ]) {
      await expectCode(call, 'closed', 'a call on a closed store')
    }
  }),
  storeCase(
    'what was on its way when the store was closed is there when it is opened again',
    async (store, setup) => {
      const writes = ['a1', 'a2', 'a3'].map((id) => store.insertAgent(make.agentOf(id)))
      await store.close()
      await Promise.all(writes)
      const again = await setup.reopen?.()
      if (again !== undefined)
        expectSame(make.idsOf(await again.listAgents()), ['a1', 'a2', 'a3'], 'the agents')
    },
  ),
]

/**
 * Conformance cases for a `RuntimeStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of runtimeStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const runtimeStoreConformance: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  ...agentStoreConformance,
  ...agentVersionConformance,
  ...webhookStoreConformance,
  ...graphStoreConformance,
  ...conversationStoreConformance,
  ...fileStoreConformance,
  ...documentStoreConformance,
  ...memoryStoreConformance,
  ...runStoreConformance,
  ...runInputConformance,
  ...feedbackStoreConformance,
  ...whatIfStoreConformance,
  ...signalStoreConformance,
  ...responseStoreConformance,
  ...budgetStoreConformance,
  ...signalCases,
  ...taskStoreConformance,
  ...scheduleStoreConformance,
  ...channelStoreConformance,
  ...senderLinkConformance,
  ...triggerStoreConformance,
  ...approvalNoticeConformance,
  ...journalConformance,
  ...usageStoreConformance,
  ...retentionConformance,
  ...tokenStoreConformance,
  ...auditStoreConformance,
  ...exactValueCases,
  ...storeCases,
]
