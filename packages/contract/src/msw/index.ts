export { mockHandlers, type MockOptions } from './mock-handlers.ts'
export type { MockAnswer, MockCall, MockError, MockReplies, MockReply } from './mock-reply.ts'
