/** Methods of Slack's Web API that are called often, by the tiers of Slack's own SDK for Java. */
export const METHODS_BY_TIER = {
  tier2: [
    'conversations.archive',
    'conversations.create',
    'conversations.list',
    'conversations.rename',
    'conversations.setPurpose',
    'conversations.setTopic',
    'emoji.list',
    'pins.add',
    'pins.list',
    'reactions.list',
    'reactions.remove',
    'search.messages',
    'usergroups.list',
    'usergroups.users.list',
    'usergroups.users.update',
    'users.conversations',
    'users.list',
  ],
  tier3: [
    'bots.info',
    'chat.delete',
    'chat.scheduleMessage',
    'chat.unfurl',
    'chat.update',
    'conversations.info',
    'conversations.invite',
    'conversations.join',
    'conversations.kick',
    'conversations.mark',
    'conversations.open',
    'files.delete',
    'files.list',
    'reactions.add',
    'reactions.get',
    'team.info',
    'users.getPresence',
    'users.lookupByEmail',
    'users.profile.set',
  ],
  tier4: [
    'chat.postEphemeral',
    'conversations.members',
    'files.completeUploadExternal',
    'files.getUploadURLExternal',
    'files.info',
    'users.info',
    'users.profile.get',
    'views.open',
    'views.publish',
    'views.push',
    'views.update',
  ],
} as const;

/** Of tier 3, and once a minute for apps that are sold outside of the Marketplace. */
export const HISTORY_METHODS = ['conversations.history', 'conversations.replies'] as const;

/** Hundreds a minute. */
export const MANY = ['auth.test', 'chat.getPermalink'] as const;

const READS =
  /\.(?:history|replies|list|info|members|messages|conversations|get|getPresence|lookupByEmail|test|getPermalink)$/;

/** What only reads, by GET as by POST. */
export const READ_METHODS: readonly string[] = [
  ...HISTORY_METHODS,
  ...MANY,
  ...Object.values(METHODS_BY_TIER).flat(),
].filter((method) => READS.test(method));
