export type {
  ButtonPress,
  Channel,
  ChannelContext,
  ChannelErrorCode,
  ChannelProbe,
  ChannelReply,
  ChannelRequest,
  InboundFile,
  InboundFileKind,
  InboundMessage,
  InboundReaction,
  LoadedFile,
  LoadFileOptions,
  MessageButton,
  NoticeOptions,
  OutboundFile,
  OutboundPart,
  PollState,
  ReceivedRequest,
  ReplyTarget,
  SendOptions,
} from '../ports/channel.ts'
export { ChannelError } from './channel-error.ts'
export { createBridgeChannel } from './bridge/create-bridge-channel.ts'
export { chunkMarkdown, type ChunkOptions } from './markdown/chunk-markdown.ts'
export { createDiscordChannel } from './discord/create-discord-channel.ts'
export { createSlackChannel } from './slack/create-slack-channel.ts'
export { createTelegramChannel } from './telegram/create-telegram-channel.ts'
export { createViberChannel } from './viber/create-viber-channel.ts'
