/** Every provider of the catalogue: what documentation and tests go through. */
import type { Profile } from './profile.js';
import { AIRTABLE } from './profiles/airtable.js';
import { AMAZON_SP_API } from './profiles/amazon-sp-api.js';
import { ANTHROPIC } from './profiles/anthropic.js';
import { ASANA } from './profiles/asana.js';
import { AUTH0 } from './profiles/auth0.js';
import { BOX } from './profiles/box.js';
import { CLOUDFLARE } from './profiles/cloudflare.js';
import { CONTENTFUL } from './profiles/contentful.js';
import { DISCORD } from './profiles/discord.js';
import { DROPBOX } from './profiles/dropbox.js';
import { GITHUB } from './profiles/github.js';
import { GITLAB } from './profiles/gitlab.js';
import { GOOGLE } from './profiles/google.js';
import { HUBSPOT } from './profiles/hubspot.js';
import { INTERCOM } from './profiles/intercom.js';
import { JIRA } from './profiles/jira.js';
import { KONG } from './profiles/kong.js';
import { LEMLIST } from './profiles/lemlist.js';
import { LINEAR } from './profiles/linear.js';
import { MAILCHIMP } from './profiles/mailchimp.js';
import { MAILERLITE_CLASSIC } from './profiles/mailerlite-classic.js';
import { MONDAY } from './profiles/monday.js';
import { MSGRAPH } from './profiles/msgraph.js';
import { NOTION } from './profiles/notion.js';
import { OKTA } from './profiles/okta.js';
import { OPENAI } from './profiles/openai.js';
import { ORACLE_ACCESS_GOVERNANCE } from './profiles/oracle-access-governance.js';
import { PAYPAL } from './profiles/paypal.js';
import { PIPEDRIVE } from './profiles/pipedrive.js';
import { PRISJAKT } from './profiles/prisjakt.js';
import { QUICKBOOKS } from './profiles/quickbooks.js';
import { REDDIT } from './profiles/reddit.js';
import { SALESFORCE } from './profiles/salesforce.js';
import { SENDGRID } from './profiles/sendgrid.js';
import { SHAREPOINT } from './profiles/sharepoint.js';
import { SHOPIFY } from './profiles/shopify.js';
import { SLACK } from './profiles/slack.js';
import { SPOTIFY } from './profiles/spotify.js';
import { SQUARE } from './profiles/square.js';
import { STRAVA } from './profiles/strava.js';
import { STRIPE } from './profiles/stripe.js';
import { TWILIO } from './profiles/twilio.js';
import { TWITCH } from './profiles/twitch.js';
import { VIMEO } from './profiles/vimeo.js';
import { X } from './profiles/x.js';
import { XERO } from './profiles/xero.js';
import { ZENDESK } from './profiles/zendesk.js';

export const CATALOGUE: readonly Profile[] = [
  AIRTABLE,
  AMAZON_SP_API,
  ANTHROPIC,
  ASANA,
  AUTH0,
  BOX,
  CLOUDFLARE,
  CONTENTFUL,
  DISCORD,
  DROPBOX,
  GITHUB,
  GITLAB,
  GOOGLE,
  HUBSPOT,
  INTERCOM,
  JIRA,
  KONG,
  LEMLIST,
  LINEAR,
  MAILCHIMP,
  MAILERLITE_CLASSIC,
  MONDAY,
  MSGRAPH,
  NOTION,
  OKTA,
  OPENAI,
  ORACLE_ACCESS_GOVERNANCE,
  PAYPAL,
  PIPEDRIVE,
  PRISJAKT,
  QUICKBOOKS,
  REDDIT,
  SALESFORCE,
  SENDGRID,
  SHAREPOINT,
  SHOPIFY,
  SLACK,
  SPOTIFY,
  SQUARE,
  STRAVA,
  STRIPE,
  TWILIO,
  TWITCH,
  VIMEO,
  X,
  XERO,
  ZENDESK,
] as unknown as readonly Profile[];
