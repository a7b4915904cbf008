export { mockHandlers, type MockOptions } from './mock-handlers.ts'
export type { MockAnswer, MockCall, MockError, MockEvent, MockReplies, MockReply } from './mock-reply.ts'
