#!/usr/bin/perl
# A tcg-ewn engine: prefers captures, then diagonal steps, with probability SHARE, else moves at random.   engine.pl SHARE
use strict;
use warnings;
$| = 1;
my $share = $ARGV[0];
while (my $line = <STDIN>) {
    my ($word, $colour, $die, @squares) = split ' ', $line;
    last if $word eq 'exit';
    if ($word ne 'get') {
        print $word ne 'ini' ? 1 : $colour eq 'R' ? 'C1 B2 A3 A1 B1 A2' : 'C5 D4 E3 E5 D5 E4', "\n";
        next;
    }
    my ($first, $step, $goal) = $colour eq 'R' ? (6, 1, 'E5') : (0, -1, 'A1');
    my @own = @squares[$first .. $first + 5];
    my @alive = grep { $own[$_] ne '0' } 0 .. 5;
    my @lower = grep { $_ < $die - 1 } @alive;
    my @higher = grep { $_ > $die - 1 } @alive;
    my @cubes = $own[$die - 1] ne '0' ? ($die - 1) : (@lower ? $lower[-1] : (), @higher ? $higher[0] : ());
    my $greedy = rand() < $share;
    my ($best, $chosen) = (-1e9, '');
    for my $cube (@cubes) {
        my ($column, $row) = split //, $own[$cube];
        for my $way (1 .. 3) {
            my ($across, $down) = ($way & 1, $way >> 1);
            next if $across && $column eq substr($goal, 0, 1) || $down && $row eq substr($goal, 1, 1);
            my $to = chr(ord($column) + $across * $step) . chr(ord($row) + $down * $step);
            my $captures = grep { $squares[$_] eq $to && ($_ < $first || $_ > $first + 5) } 0 .. 11;
            my $value = $greedy ? 100 * ($to eq $goal) + 4 * $captures + 2 * $across * $down + rand() : rand();
            ($best, $chosen) = ($value, "$own[$cube] $to") if $value > $best;
        }
    }
    print "$chosen\n";
}
