#!/usr/bin/env perl
# Writes src/base/sentence_table.inc: the Sentence_Break property of Unicode, as this perl knows it.
# Usage: scripts/make_sentence_table.pl > src/base/sentence_table.inc     the result is FROZEN: ids of sentences depend on it
use strict;
use warnings;
use Unicode::UCD;

my @names = qw(Other CR LF Sep Extend Format Sp Lower Upper OLetter Numeric ATerm SContinue STerm Close);
my (%class, @entries);
for my $i (1 .. $#names) {
  my $list = Unicode::UCD::prop_invlist("SB=$names[$i]") ? [Unicode::UCD::prop_invlist("SB=$names[$i]")] : [];
  for (my $at = 0; $at < @$list; $at += 2) {
    $class{$list->[$at]} = $i;
    my $end = $at + 1 < @$list ? $list->[$at + 1] : 0x110000;
    $class{$end} //= 0;
  }
}
my $last = -1;
for my $begin (sort { $a <=> $b } keys %class) {
  next if $class{$begin} == $last;
  $last = $class{$begin};
  push @entries, sprintf('0x%x', $begin << 4 | $last);
}
print "// Made by scripts/make_sentence_table.pl, Unicode " . Unicode::UCD::UnicodeVersion() . ": where each stretch begins << 4 | its class.\n";
while (my @line = splice(@entries, 0, 14)) { print join(', ', @line), ",\n"; }
