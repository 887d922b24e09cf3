/** Every provider of the catalogue: what documentation and tests go through. */
import type { Profile } from './profile.js';
import { ANTHROPIC } from './profiles/anthropic.js';
import { BOX } from './profiles/box.js';
import { DISCORD } from './profiles/discord.js';
import { DROPBOX } from './profiles/dropbox.js';
import { GITHUB } from './profiles/github.js';
import { GITLAB } from './profiles/gitlab.js';
import { HUBSPOT } from './profiles/hubspot.js';
import { INTERCOM } from './profiles/intercom.js';
import { LINEAR } from './profiles/linear.js';
import { OPENAI } from './profiles/openai.js';
import { PIPEDRIVE } from './profiles/pipedrive.js';
import { SALESFORCE } from './profiles/salesforce.js';
import { SHOPIFY } from './profiles/shopify.js';
import { SLACK } from './profiles/slack.js';
import { SQUARE } from './profiles/square.js';
import { STRIPE } from './profiles/stripe.js';
import { XERO } from './profiles/xero.js';
import { ZENDESK } from './profiles/zendesk.js';

export const CATALOGUE: readonly Profile[] = [
  ANTHROPIC,
  BOX,
  DISCORD,
  DROPBOX,
  GITHUB,
  GITLAB,
  HUBSPOT,
  INTERCOM,
  LINEAR,
  OPENAI,
  PIPEDRIVE,
  SALESFORCE,
  SHOPIFY,
  SLACK,
  SQUARE,
  STRIPE,
  XERO,
  ZENDESK,
] as unknown as readonly Profile[];
